import type { TurnStartMetadata, UniversalEvent, UniversalOptions } from "agentwire/universal";
import { FakeAgent, FakeSource } from "../../helpers/fake-source.ts";
import { FakeStream } from "../../helpers/fake-stream.ts";

/** A source whose clients say the universal events that a test gives. */
export class ToldSource extends FakeSource {
  readonly #streams: FakeStream[] = [];

  /** How many streams of clients there are. */
  get streams(): number {
    return this.#streams.length;
  }

  override toUniversal(of: unknown, options?: UniversalOptions): FakeStream {
    if (!(of instanceof FakeAgent)) return super.toUniversal(of, options);
    const stream = new FakeStream(options);
    this.#streams.push(stream);
    return stream;
  }

  tell(events: readonly UniversalEvent[]): void {
    for (const { listeners } of this.#streams)
      for (const event of events) for (const listener of [...listeners]) listener(event);
  }

  /** A turn without an answer. */
  playTurn(metadata: TurnStartMetadata): void {
    for (const stream of this.#streams) {
      stream.turn([], metadata);
      stream.emit("turn.ended", {
        phase: "ended",
        turn_id: stream.turnId,
        metadata: { status: "completed" },
      });
    }
  }
}
