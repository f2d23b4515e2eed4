import fc from "fast-check";
import { describe, test } from "vitest";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { CASS_SEEDS } from "./cass-seeds.ts";
import { CODEY_SEEDS } from "./codey-seeds.ts";
import { SEEDS } from "./seeds.ts";
import { CassWorld } from "./support/cass/cass-world.ts";
import { cassScenarios } from "./support/cass/scenario.ts";
import { CodeyWorld } from "./support/codey/codey-world.ts";
import { codeyScenarios } from "./support/codey/scenario.ts";
import { scenarios } from "./support/scenario.ts";
import { World } from "./support/world.ts";

/** Things that happen in one life of a client, at most. */
const LENGTH = 60;

const lives = <Scenario>(arbitrary: fc.Arbitrary<Scenario>, play: (scenario: Scenario) => Promise<void>) =>
  fc.asyncProperty(arbitrary, play);
const codebuff = (profile: "auto" | "proxy" | "codebuff") => lives(scenarios(profile, LENGTH), World.playing);
const codey = (approver: "nobody" | "callback" | "manual") =>
  lives(codeyScenarios(approver, LENGTH), CodeyWorld.playing);
const cass = (auth: "query" | "message") => lives(cassScenarios(auth, LENGTH), CassWorld.playing);

describe("whatever server, link, user and clock do: nothing is left open, nothing is thrown, and each turn gets its own and one end", () => {
  test.each([
    ["codebuff with the profile auto", codebuff("auto"), 1_000],
    ["codebuff with the profile proxy", codebuff("proxy"), 1_000],
    ["codebuff with the profile codebuff", codebuff("codebuff"), 1_000],
    ["codey, calls decided by nobody", codey("nobody"), 700],
    ["codey, calls decided by a callback", codey("callback"), 700],
    ["codey, calls decided by hand", codey("manual"), 700],
    ["cass with the token in the query", cass("query"), 700],
    ["cass with the token in a message", cass("message"), 700],
  ] as const)(
    "%s",
    (_name, property, usual) => fc.assert<unknown[]>(property as fc.IAsyncProperty<unknown[]>, runs(usual)),
    PATIENCE,
  );
});

describe("earlier bugs stay fixed", () => {
  test.each(Object.entries(SEEDS))("codebuff: %s", (_, scenario) => World.playing(scenario));
  test.each(Object.entries(CODEY_SEEDS))("codey: %s", (_, scenario) => CodeyWorld.playing(scenario));
  test.each(Object.entries(CASS_SEEDS))("cass: %s", (_, scenario) => CassWorld.playing(scenario));
});
