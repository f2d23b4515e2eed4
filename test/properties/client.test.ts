import fc from "fast-check";
import { describe, test } from "vitest";
import { SEEDS } from "./seeds.ts";
import { PATIENCE, runs } from "./support/runs.ts";
import { scenarios } from "./support/scenario.ts";
import { World } from "./support/world.ts";

/** Things that happen in one life of a client, at most. */
const LENGTH = 60;

describe("whatever server, link, user and clock do: nothing is left pending, nothing is thrown, and each turn ends at most once", () => {
  test.each(["auto", "proxy", "codebuff"] as const)(
    "with the profile %s",
    async (profile) => {
      await fc.assert(
        fc.asyncProperty(scenarios(profile, LENGTH), (scenario) => World.playing(scenario)),
        runs(1_000),
      );
    },
    PATIENCE,
  );
});

describe.skipIf(Object.keys(SEEDS).length === 0)("what once went wrong", () => {
  test.each(Object.entries(SEEDS))("%s", (_, scenario) => World.playing(scenario));
});
