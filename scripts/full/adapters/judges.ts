// What judges the universal events of captures.
import { checkTranscript, type UniversalEvent } from "agentwire/universal";

export interface Judge {
  readonly name: string;
  /** What is wrong with a stream, or with what an adapter makes of it. */
  judge(events: readonly UniversalEvent[]): Promise<readonly string[]>;
}

export const JUDGES: readonly Judge[] = [
  {
    name: "checkTranscript",
    judge: async (events) =>
      checkTranscript(events).map(
        ({ index, invariant, message }) => `event ${index}: ${invariant}: ${message}`,
      ),
  },
];
