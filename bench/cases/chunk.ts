import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians, pick } from "../support/numbers.ts";
import type { Case, Effort, Progress } from "./figure.ts";

const EFFORTS = {
  full: { processes: 5, settings: { chunks: 100_000, warmUps: 2, rounds: 9 } },
  quick: { processes: 1, settings: { chunks: 50_000, warmUps: 2, rounds: 7 } },
} as const;

export const chunk: Case = {
  name: "chunk",
  about: "CPU per chunk of 100 bytes, from the socket to the reader",
  async measure(effort, progress) {
    const found = await measureAll("codebuff", effort, progress);
    const codey = await measureAll("codey", effort, progress);
    const one = figureOf(found, "agentwire");
    progress(`raw ws and JSON.parse take ${figureOf(found, "raw µs").toFixed(2)} µs of CPU per chunk`);
    return [
      {
        name: "chunk",
        about:
          "CPU per 100-byte chunk, socket to `for await`, validated and routed, over raw ws and JSON.parse",
        unit: "x",
        bar: 1.15,
        aim: 1,
        measured: one,
        peers: pick(found, "bare-queue", "atproto", "graphql-ws"),
      },
      {
        name: "chunk-100-turns",
        about: "the same with 100 turns at once",
        unit: "x",
        bar: 1.6,
        aim: 1.45,
        measured: figureOf(found, "agentwire-100"),
      },
      {
        name: "chunk-over-graphql-ws",
        about: "the same over graphql-ws (iterate) in the same run",
        unit: "x",
        bar: 0.8,
        measured: one / figureOf(found, "graphql-ws"),
      },
      {
        name: "chunk-codey",
        about: "CPU per 100-byte chunk of a Codey turn, over raw ws and JSON.parse on its frames",
        unit: "x",
        bar: 1.3,
        aim: 1.15,
        measured: figureOf(codey, "agentwire-codey"),
      },
    ];
  },
};

async function measureAll(protocol: string, effort: Effort, progress: Progress): Promise<Measured> {
  const { processes, settings } = EFFORTS[effort];
  const samples: Measured[] = [];
  for (let process = 1; process <= processes; process++) {
    const what = `${settings.rounds} rounds of ${settings.chunks} chunks`;
    progress(`${protocol}, process ${process} of ${processes}: ${what}`);
    samples.push(await measure("chunk", { protocol, ...settings }));
  }
  return medians(samples);
}
