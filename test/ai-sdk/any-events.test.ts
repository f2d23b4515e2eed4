import fc from "fast-check";
import { expect, test } from "vitest";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { transcripts, wildEvents } from "../universal/support/arbitrary.ts";
import { chunksOf, messageOf, openIn } from "./support.ts";
import { assertMapped, turnsOf } from "./turns.ts";

test(
  "any turn becomes chunks that the SDK accepts, with the same text, and nothing stays open",
  async () => {
    await fc.assert(
      fc.asyncProperty(transcripts, async (events) => {
        for (const turn of turnsOf(events)) await assertMapped(turn);
      }),
      runs(100),
    );
  },
  PATIENCE,
);

test(
  "a turn that is cut off anywhere ends with nothing open",
  async () => {
    await fc.assert(
      fc.asyncProperty(transcripts, fc.nat(), async (events, at) => {
        const turn = turnsOf(events)[0] ?? [];
        if (turn.length === 0) return;
        const chunks = await chunksOf(turn.slice(0, 1 + (at % turn.length)));
        expect(openIn(await messageOf(chunks))).toEqual([]);
        expect(["finish", "abort", "error"]).toContain(chunks.at(-1)?.type);
      }),
      runs(100),
    );
  },
  PATIENCE,
);

test(
  "events in any order, even against the rules, become chunks that the SDK accepts",
  async () => {
    await fc.assert(
      fc.asyncProperty(wildEvents, async (events) => {
        for (const turn of turnsOf(events)) expect(openIn(await messageOf(await chunksOf(turn)))).toEqual([]);
      }),
      runs(100),
    );
  },
  PATIENCE,
);
