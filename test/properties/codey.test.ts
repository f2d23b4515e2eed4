import fc from "fast-check";
import { describe, test } from "vitest";
import { CODEY_SEEDS } from "./codey-seeds.ts";
import { CodeyWorld } from "./support/codey/codey-world.ts";
import { codeyScenarios } from "./support/codey/scenario.ts";
import { PATIENCE, runs } from "./support/runs.ts";

/** Things that happen in one life of a client, at most. */
const LENGTH = 60;

describe("whatever server, link, user and clock do: nothing is left open, each turn gets its own and one end, each call one decision", () => {
  test.each(["nobody", "callback", "manual"] as const)(
    "with calls decided by: %s",
    async (approver) => {
      await fc.assert(
        fc.asyncProperty(codeyScenarios(approver, LENGTH), (scenario) => CodeyWorld.playing(scenario)),
        runs(700),
      );
    },
    PATIENCE,
  );
});

describe.skipIf(Object.keys(CODEY_SEEDS).length === 0)("what once went wrong", () => {
  test.each(Object.entries(CODEY_SEEDS))("%s", (_, scenario) => CodeyWorld.playing(scenario));
});
