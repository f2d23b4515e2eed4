import fc from "fast-check";
import { describe, test } from "vitest";
import { CASS_SEEDS } from "./cass-seeds.ts";
import { CassWorld } from "./support/cass/cass-world.ts";
import { cassScenarios } from "./support/cass/scenario.ts";
import { PATIENCE, runs } from "./support/runs.ts";

/** Things that happen in one life of a client, at most. */
const LENGTH = 60;

describe("whatever server, link, user and clock do: each turn gets its own answer or an error, as the right user, and nothing is left open", () => {
  test.each(["query", "message"] as const)(
    "with the token in the %s",
    async (auth) => {
      await fc.assert(
        fc.asyncProperty(cassScenarios(auth, LENGTH), (scenario) => CassWorld.playing(scenario)),
        runs(700),
      );
    },
    PATIENCE,
  );
});

describe.skipIf(Object.keys(CASS_SEEDS).length === 0)("what once went wrong", () => {
  test.each(Object.entries(CASS_SEEDS))("%s", (_, scenario) => CassWorld.playing(scenario));
});
