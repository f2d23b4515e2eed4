import fc from "fast-check";
import { expect, test } from "vitest";
import { unhandledDuring } from "../core/support/promises.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { gateLives } from "./support/gate-steps.ts";
import { GateWorld } from "./support/gate-world.ts";

/** Things that happen in one life of a gate, at most. */
const LENGTH = 40;

test(
  "any sequence of events settles each request once, leaves nothing behind, and approves nothing by itself",
  async () => {
    const unhandled = await unhandledDuring(() =>
      fc.assert(
        fc.asyncProperty(gateLives(LENGTH), (life) => GateWorld.play(life)),
        runs(2_000),
      ),
    );
    expect(unhandled).toEqual([]);
  },
  PATIENCE,
);

test("an earlier bug stays fixed: a stopped turn asks for no approval", async () => {
  await GateWorld.play({
    setting: {
      rules: undefined,
      approver: "callback",
      answerer: "nobody",
      approvalTimeout: 0,
      stopsAtOnce: false,
    },
    steps: [
      { do: "turn", turn: 1, ends: "cancel" },
      { do: "ask", tool: "a", native: "x", turn: 1, isHandled: false },
      { do: "callback", which: 0, gives: "approve" },
    ],
  });
});
