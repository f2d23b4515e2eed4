import { measure } from "../support/measure.ts";
import { figureOf, medians, pick } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

const EFFORTS = {
  full: { processes: 3, connections: 1_000 },
  quick: { processes: 1, connections: 500 },
} as const;

const READERS = ["raw", "graphql-ws", "agentwire", "agentwire-codey", "agentwire-cass"] as const;

export const idleHeap: Case = {
  name: "idle-heap",
  about: "heap of a connection on which nothing happens",
  async measure(effort, progress) {
    const { processes, connections } = EFFORTS[effort];
    const samples: Record<string, number>[] = [];
    for (let process = 1; process <= processes; process++) {
      progress(`process ${process} of ${processes}: ${connections} connections each`);
      const sample: Record<string, number> = {};
      for (const reader of READERS)
        sample[reader] = figureOf(await measure("idle-heap", { reader, connections }), "bytes") / 1_000;
      samples.push(sample);
    }
    const found = medians(samples);
    return [
      {
        name: "idle-heap",
        about: "heap per idle connection, over nothing",
        unit: "kB",
        bar: 10,
        aim: 8,
        measured: figureOf(found, "agentwire"),
        peers: pick(found, "raw", "graphql-ws"),
      },
      {
        name: "idle-heap-codey",
        about: "heap per idle connection to a Codey server, over nothing",
        unit: "kB",
        bar: 10,
        aim: 8,
        measured: figureOf(found, "agentwire-codey"),
      },
      {
        name: "idle-heap-cass",
        about: "heap per idle connection to a Cass server, over nothing",
        unit: "kB",
        bar: 10,
        aim: 8,
        measured: figureOf(found, "agentwire-cass"),
      },
    ];
  },
};
