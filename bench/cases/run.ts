import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

/** A long answer: what a run pays once for each answer counts as in a real one. */
const EFFORTS = {
  full: { processes: 5, settings: { chunks: 5_000, warmUps: 8, rounds: 41 } },
  quick: { processes: 1, settings: { chunks: 5_000, warmUps: 8, rounds: 21 } },
} as const;

export const run: Case = {
  name: "run",
  about: "CPU per chunk of a model's answer, from the response to the reader of a run",
  async measure(effort, progress) {
    const { processes, settings } = EFFORTS[effort];
    const samples: Measured[] = [];
    for (let process = 1; process <= processes; process++) {
      progress(`process ${process} of ${processes}: ${settings.rounds} rounds of ${settings.chunks} chunks`);
      samples.push(await measure("chunk", { protocol: "codebuff-run", ...settings }));
    }
    const found = medians(samples);
    progress(
      `fetch, eventsource-parser and JSON.parse take ${figureOf(found, "raw µs").toFixed(2)} µs of CPU per chunk`,
    );
    return [
      {
        name: "run-chunk",
        about:
          "CPU per 100-byte chunk of a run, response to `for await`, checked, over fetch, eventsource-parser and JSON.parse with the same calls",
        unit: "x",
        bar: 1.5,
        aim: 1.2,
        measured: figureOf(found, "agentwire-codebuff-run"),
      },
    ];
  },
};
