import type { CassEvent } from "agentwire/cass";
import type { Fact } from "agentwire/universal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CassMapping } from "../../../src/cass/universal.ts";
import { PATIENCE, runs } from "../../properties/support/runs.ts";
import { arbitraryFacts, arbitraryTurn, interruptions } from "../../universal/arbitrary-facts.ts";
import { expectSound } from "../../universal/invariants.ts";
import { cassFacts } from "./facts.ts";

const newMapping = (): CassMapping => new CassMapping({ inferTools: true, includeDebug: true });

test(
  "whatever comes in whatever order, the transcript keeps every rule, and is the same again",
  () => {
    fc.assert(
      fc.property(arbitraryFacts(cassFacts), fc.boolean(), (facts, includeRaw) => {
        expectSound(newMapping, facts, { includeRaw });
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
      fc.property(arbitraryTurn(cassFacts, "t1"), (facts) => {
        for (const cut of interruptions<CassEvent, never>("t1"))
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

test("facts of the right types never make `agent.unparsed`", () => {
  fc.assert(
    fc.property(arbitraryTurn(cassFacts, "t1"), (facts) => {
      const events = expectSound(newMapping, facts);
      const warned = facts.some(({ type }) => type === "warning");
      if (!warned) expect(events.filter(({ type }) => type === "agent.unparsed")).toEqual([]);
    }),
    runs(200),
  );
});
