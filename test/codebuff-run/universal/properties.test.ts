import type { CodebuffRunEvent } from "agentwire/codebuff-run";
import type { Fact } from "agentwire/universal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CodebuffRunMapping } from "../../../src/codebuff-run/universal.ts";
import { PATIENCE, runs } from "../../properties/support/runs.ts";
import { arbitraryFacts, arbitraryTurn, interruptions } from "../../universal/arbitrary-facts.ts";
import { expectSound, playFacts } from "../../universal/invariants.ts";
import { runFacts } from "./facts.ts";

const newMapping = (): CodebuffRunMapping => new CodebuffRunMapping(true);

test(
  "whatever comes in whatever order, the transcript keeps every rule, and is the same again",
  () => {
    fc.assert(
      fc.property(arbitraryFacts(runFacts), fc.boolean(), fc.boolean(), (facts, includeRaw, eagerStart) => {
        expectSound(newMapping, facts, { includeRaw, eagerStart });
      }),
      runs(400),
    );
  },
  PATIENCE,
);

test(
  "a cancel, a failure, a limit or a close at any moment of a turn leaves nothing open",
  () => {
    fc.assert(
      fc.property(arbitraryTurn(runFacts, "t1"), (facts) => {
        for (const cut of interruptions<CodebuffRunEvent, never>("t1"))
          for (let at = 0; at < facts.length; at++)
            expectSound(newMapping, [
              ...facts.slice(0, at),
              ...(cut as readonly Fact<never, never>[]),
              ...facts.slice(at),
            ]);
      }),
      runs(20),
    );
  },
  PATIENCE,
);

test("events of the right types never make `agent.unparsed`", () => {
  fc.assert(
    fc.property(fc.array(runFacts.event, { maxLength: 20 }), runFacts.result, (events, result) => {
      const told = expectSound(newMapping, [
        { type: "sent", turnId: "t1", input: { text: "hi" } },
        ...events.map((event) => ({ type: "event", turnId: "t1", event }) as const),
        { type: "ended", turnId: "t1", end: { status: "completed", result } },
      ]);
      expect(told.filter(({ type }) => type === "agent.unparsed")).toEqual([]);
    }),
    runs(300),
  );
});

test("text in chunks that are cut anywhere, and then as a whole, is the same text once", () => {
  const cuts = fc.array(fc.nat(40), { maxLength: 6 });
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }), cuts, (text, places) => {
      const ends = [...new Set([...places.map((place) => place % text.length), text.length])].sort(
        (one, other) => one - other,
      );
      const said: readonly CodebuffRunEvent[] = [
        ...ends.map(
          (end, index) => ({ type: "chunk", chunk: text.slice(ends[index - 1] ?? 0, end) }) as const,
        ),
        { type: "text", text },
      ];
      const events = playFacts(newMapping, [
        { type: "sent", turnId: "t1", input: { text: "hi" } },
        ...said.map((event) => ({ type: "event", turnId: "t1", event }) as const),
      ]);
      const deltas = events.map((event) => (event.type === "item.delta" ? event.data.delta : ""));
      expect(deltas.join("")).toBe(text.trim() === "" ? "" : text);
    }),
    runs(200),
  );
});
