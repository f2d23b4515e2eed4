import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const EFFORTS = {
  full: { processes: 5, settings: { turns: 400, deltas: 100, warmUps: 2, rounds: 9 } },
  quick: { processes: 1, settings: { turns: 200, deltas: 100, warmUps: 2, rounds: 7 } },
} as const;

export const otel: Case = {
  name: "otel",
  about: "CPU of a turn of a source with telemetry",
  async measure(effort, progress) {
    const { processes, settings } = EFFORTS[effort];
    const samples: Measured[] = [];
    for (let process = 1; process <= processes; process++) {
      progress(`process ${process} of ${processes}: ${settings.rounds} rounds of ${settings.turns} turns`);
      samples.push(await measure("otel", settings));
    }
    const found = medians(samples);
    return [
      {
        name: "otel-no-provider",
        about: "CPU of a turn of `withTelemetry(source)` without a provider, over a turn of the source",
        unit: "x",
        bar: 1.1,
        aim: 1,
        measured: figureOf(found, "idle"),
      },
      {
        name: "otel-traced",
        about:
          "CPU of a turn of 100 deltas and a tool call, traced and measured by the SDK, over one of the source",
        unit: "x",
        measured: figureOf(found, "traced"),
      },
    ];
  },
};
