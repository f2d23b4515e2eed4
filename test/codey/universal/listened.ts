import type { CodeyClientOptions } from "agentwire/codey";
import type { UniversalOptions, UniversalStream } from "agentwire/universal";
import { onTestFinished } from "vitest";
import { toUniversal } from "../../../src/codey/universal.ts";
import { type FakePair, fakePair } from "../../helpers/codey-fake.ts";
import { expectGolden } from "../../universal/golden.ts";
import { goldenOptions } from "../../universal/golden-options.ts";
import { eventsSoFar, expectInvariants } from "../../universal/invariants.ts";

export type CodeyTurn = ReturnType<FakePair["client"]["prompt"]>;

/** A ready client, and its universal events. */
export interface Listened {
  readonly made: FakePair;
  readonly stream: UniversalStream;
  /** Makes a turn. Golden files call the turns `turn-1`, `turn-2`. */
  prompt(text?: string): CodeyTurn;
  /** The server says this, and everything runs that follows. */
  says(...messages: readonly object[]): Promise<void>;
  /** Compares all events so far with `codey-ws/<row>.jsonl`. */
  expectGolden(row: string): Promise<void>;
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
  onTestFinished(() => stream.close());
  const ids: Record<string, string> = {};
  return {
    made,
    stream,
    prompt(text = "hello") {
      const turn = made.client.prompt(text);
      ids[turn.id] = `turn-${Object.keys(ids).length + 1}`;
      return turn;
    },
    async says(...messages) {
      made.says(...messages);
      await made.settle();
    },
    async expectGolden(row) {
      const events = await eventsSoFar(stream);
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
