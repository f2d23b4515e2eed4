import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const EFFORTS = {
  full: { processes: 5, settings: { chunks: 5_000, warmUps: 2, rounds: 9 } },
  quick: { processes: 1, settings: { chunks: 2_000, warmUps: 2, rounds: 7 } },
} as const;

export const turn: Case = {
  name: "turn",
  about: "CPU per turn of a protocol whose answers come whole",
  async measure(effort, progress) {
    const { processes, settings } = EFFORTS[effort];
    const samples: Measured[] = [];
    for (let process = 1; process <= processes; process++) {
      progress(`process ${process} of ${processes}: ${settings.rounds} rounds of ${settings.chunks} turns`);
      samples.push(await measure("chunk", { protocol: "cass", ...settings }));
    }
    const found = medians(samples);
    progress(`raw ws and JSON.parse take ${figureOf(found, "raw µs").toFixed(1)} µs of CPU per turn`);
    return [
      {
        name: "turn-cass",
        about:
          "CPU per Cass turn of three frames, one behind the other, over raw ws and JSON.parse on its frames",
        unit: "x",
        bar: 2.7,
        aim: 2.4,
        measured: figureOf(found, "agentwire-cass"),
      },
    ];
  },
};
