import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const EFFORTS = {
  full: { processes: 5, settings: { chunks: 100_000, warmUps: 2, rounds: 9 } },
  quick: { processes: 1, settings: { chunks: 50_000, warmUps: 2, rounds: 7 } },
} as const;

export const line: Case = {
  name: "line",
  about: "CPU per line of a program's output, from its pipe to the reader",
  async measure(effort, progress) {
    const { processes, settings } = EFFORTS[effort];
    const samples: Measured[] = [];
    for (let process = 1; process <= processes; process++) {
      progress(`process ${process} of ${processes}: ${settings.rounds} rounds of ${settings.chunks} lines`);
      samples.push(await measure("chunk", { protocol: "codebuff-cli", ...settings }));
    }
    const found = medians(samples);
    progress(`node:readline and JSON.parse take ${figureOf(found, "raw µs").toFixed(2)} µs of CPU per line`);
    return [
      {
        name: "line-codebuff-cli",
        about:
          "CPU per line of 100 bytes of text, pipe to `for await`, checked, over node:readline and JSON.parse",
        unit: "x",
        bar: 1.5,
        aim: 1.3,
        measured: figureOf(found, "agentwire-codebuff-cli"),
      },
    ];
  },
};
