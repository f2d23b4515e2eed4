import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const EFFORTS = {
  full: { processes: 5, settings: { chunks: 100_000, warmUps: 2, rounds: 9 } },
  quick: { processes: 1, settings: { chunks: 50_000, warmUps: 2, rounds: 7 } },
} as const;

export const universal: Case = {
  name: "universal",
  about: "CPU per chunk of a turn that is read as universal events",
  async measure(effort, progress) {
    const { processes, settings } = EFFORTS[effort];
    const samples: Measured[] = [];
    for (let process = 1; process <= processes; process++) {
      progress(`process ${process} of ${processes}: ${settings.rounds} rounds of ${settings.chunks} chunks`);
      samples.push(await measure("chunk", { protocol: "universal", ...settings }));
    }
    const found = medians(samples);
    progress(`raw ws and JSON.parse take ${figureOf(found, "raw µs").toFixed(2)} µs of CPU per chunk`);
    return [
      {
        name: "universal-over-raw",
        about:
          "CPU per 100-byte chunk of a Codey turn, read as universal events, over raw ws and JSON.parse on its frames",
        unit: "x",
        bar: 2,
        aim: 1.7,
        measured: figureOf(found, "universal"),
      },
    ];
  },
};
