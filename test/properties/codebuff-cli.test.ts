import fc from "fast-check";
import { describe, test } from "vitest";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { CliWorld } from "./support/cli/cli-world.ts";
import { lives } from "./support/cli/life.ts";

/** ms of real time after which a life is taken to hang, and is shown: it takes a tenth of a second. */
const STUCK = 30_000;

describe("with any program, user and clock", () => {
  // Each life is of real processes, some 40 ms each.
  test(
    "each turn ends once, emits nothing after a stop, and leaves no process, timer or listener",
    () =>
      fc.assert(
        fc.asyncProperty(lives, (life) => CliWorld.living(life)),
        { ...runs(80), timeout: STUCK, endOnFailure: true },
      ),
    PATIENCE,
  );
});
