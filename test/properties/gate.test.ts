import fc from "fast-check";
import { expect, test } from "vitest";
import { unhandledDuring } from "../core/support/promises.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { gateLives } from "./support/gate-steps.ts";
import { GateWorld } from "./support/gate-world.ts";

/** Things that happen in one life of a gate, at most. */
const LENGTH = 40;

test(
  "whoever decides, withdraws, listens or is late: each request is settled once, nothing stays, and nothing is approved that nobody approved",
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

test("what once went wrong: nobody is asked about a call of a turn that was stopped", async () => {
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
