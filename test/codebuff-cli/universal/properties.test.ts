import type { CodebuffCliEvent } from "agentwire/codebuff-cli";
import type { Fact } from "agentwire/universal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CodebuffCliMapping } from "../../../src/codebuff-cli/universal.ts";
import { PATIENCE, runs } from "../../properties/support/runs.ts";
import { arbitraryFacts, arbitraryTurn, interruptions } from "../../universal/arbitrary-facts.ts";
import { expectSound, playFacts } from "../../universal/invariants.ts";
import { cliFacts } from "./facts.ts";

const newMapping = (): CodebuffCliMapping => new CodebuffCliMapping(true);

test(
  "whatever comes in whatever order, the transcript keeps every rule, and is the same again",
  () => {
    fc.assert(
      fc.property(arbitraryFacts(cliFacts), fc.boolean(), fc.boolean(), (facts, includeRaw, eagerStart) => {
        expectSound(newMapping, facts, { includeRaw, eagerStart });
      }),
      runs(400),
    );
  },
  PATIENCE,
);

test(
  "a cancel, a loss, a limit or a close at any moment of a turn leaves nothing open",
  () => {
    fc.assert(
      fc.property(arbitraryTurn(cliFacts, "t1"), (facts) => {
        for (const cut of interruptions<CodebuffCliEvent, never>("t1"))
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
    fc.property(fc.array(cliFacts.event, { maxLength: 20 }), (events) => {
      const told = expectSound(newMapping, [
        { type: "sent", turnId: "t1", input: { text: "hi" } },
        ...events.map((event) => ({ type: "event", turnId: "t1", event }) as const),
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
      const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
      const said: readonly CodebuffCliEvent[] = [
        ...chunks.map((delta) => ({ type: "chunk", delta }) as const),
        { type: "text", text, delta: "" },
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
