import type { CodeyClientOptions } from "agentwire/codey";
import type { UniversalEvent, UniversalOptions } from "agentwire/universal";
import { onTestFinished } from "vitest";
import { toUniversal } from "../../../src/codey/universal.ts";
import { type FakePair, fakePair } from "../../helpers/codey-fake.ts";
import { expectGolden, goldenOptions } from "../../universal/golden.ts";
import { expectInvariants } from "../../universal/invariants.ts";

export type CodeyTurn = ReturnType<FakePair["client"]["prompt"]>;

/** A ready client, and all the universal events of it so far. */
export interface Listened {
  readonly made: FakePair;
  readonly events: readonly UniversalEvent[];
  /** Makes a turn. Golden files call the turns `turn-1`, `turn-2`. */
  prompt(text?: string): CodeyTurn;
  /** The server says this, and everything runs that follows. */
  says(...messages: readonly object[]): Promise<void>;
  /** Closes the stream, and compares with `codey-ws/<row>.jsonl`. */
  expectGolden(row: string): void;
}

export async function listened(
  options: Partial<CodeyClientOptions> = {},
  universal: UniversalOptions = {},
): Promise<Listened> {
  const made = await fakePair({ onToolApproval: "manual", ...options });
  return listenTo(made, universal);
}

export function listenTo(made: FakePair, universal: UniversalOptions = {}): Listened {
  const stream = toUniversal(made.client, goldenOptions({ clock: clockOf(made), ...universal }));
  const events: UniversalEvent[] = [];
  onTestFinished(() => stream.close());
  void (async () => {
    for await (const event of stream) events.push(event);
  })();
  const ids: Record<string, string> = {};
  return {
    made,
    events,
    prompt(text = "hello") {
      const turn = made.client.prompt(text);
      ids[turn.id] = `turn-${Object.keys(ids).length + 1}`;
      return turn;
    },
    async says(...messages) {
      made.says(...messages);
      await made.settle();
    },
    expectGolden(row) {
      expectInvariants(events, { live: true });
      expectGolden(`codey-ws/${row}`, events, ids);
    },
  };
}

/** The time stands still, and timers are the client's. */
function clockOf({ clock }: FakePair): NonNullable<UniversalOptions["clock"]> {
  const { wallTime } = goldenOptions().clock ?? clock;
  return { wallTime, setTimeout: (run, ms) => clock.setTimeout(run, ms) };
}

/** All events of a stream that ends. */
export async function allOf(stream: AsyncIterable<UniversalEvent>): Promise<readonly UniversalEvent[]> {
  const events: UniversalEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
