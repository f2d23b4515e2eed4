import { measure } from "../support/measure.ts";
import { figureOf } from "../support/numbers.ts";
import type { Case, Figure } from "./figure.ts";

/** Machine code would be most of the growth, and depends on the load of the machine: 70 to 430 kB, and 12 without it. */
const NO_MACHINE_CODE = ["--max-opt=0"];

export const thousandTurns: Case = {
  name: "thousand-turns",
  about: "what 1 000 turns on one client and one signal leave behind",
  async measure(_effort, progress) {
    progress("1 000 turns to warm up, and 1 000 to look at");
    const found = await measure("thousand-turns", {}, NO_MACHINE_CODE);
    const left = (name: string, about: string): Figure => ({
      name: `thousand-turns-${name}`,
      about: `${about} left after 1 000 turns on one client and one signal`,
      unit: "count",
      bar: 0,
      measured: figureOf(found, name),
    });
    return [
      left("listeners", "listeners on the signal"),
      left("timers", "timers"),
      left("routes", "turns that anything leads to"),
      {
        name: "thousand-turns-growth",
        about: "growth of the heap from turn 200 to 1 000, after collecting garbage",
        unit: "kB",
        bar: 200,
        aim: 0,
        measured: figureOf(found, "growth") / 1_000,
        noise: 100,
      },
    ];
  },
};
