import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const EFFORTS = {
  full: { processes: 5, settings: { chunks: 100_000, warmUps: 2, rounds: 9 } },
  quick: { processes: 1, settings: { chunks: 50_000, warmUps: 2, rounds: 7 } },
} as const;

export const universal: Case = {
  name: "universal",
  about: "CPU per universal event, over the events of the plain turn",
  async measure(effort, progress) {
    const { processes, settings } = EFFORTS[effort];
    const samples: Measured[] = [];
    for (let process = 1; process <= processes; process++) {
      progress(`process ${process} of ${processes}: ${settings.rounds} rounds of ${settings.chunks} chunks`);
      samples.push(await measure("chunk", { protocol: "universal", ...settings }));
    }
    return [
      {
        name: "universal",
        about:
          "CPU per 100-byte chunk of a Codey turn, read as universal events, over the same turn read by itself",
        unit: "x",
        bar: 1.5,
        aim: 1.2,
        measured: figureOf(medians(samples), "universal"),
      },
    ];
  },
};
