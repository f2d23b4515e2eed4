import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const EFFORTS = {
  full: { processes: 3, rounds: 7 },
  quick: { processes: 1, rounds: 3 },
} as const;

const TURNS = { few: 1_000, many: 5_000 };

export const manyTurns: Case = {
  name: "many-turns",
  about: "CPU per turn when one client has 5 000 turns at once",
  async measure(effort, progress) {
    const { processes, rounds } = EFFORTS[effort];
    const samples: Measured[] = [];
    for (let process = 1; process <= processes; process++) {
      progress(`process ${process} of ${processes}: ${rounds} rounds`);
      samples.push(await measure("many-turns", { ...TURNS, rounds }));
    }
    return [
      {
        name: "many-turns",
        about: "CPU per turn at 5 000 turns at once on one client, over 1 000",
        unit: "x",
        bar: 1.2,
        aim: 1,
        measured: figureOf(medians(samples), "ratio"),
      },
    ];
  },
};
