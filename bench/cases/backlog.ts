import { type Measured, measure } from "../support/measure.ts";
import { figureOf } from "../support/numbers.ts";
import type { Case } from "./figure.ts";

/** What the design promises a figure for. */
const CHUNKS = 200_000;

/** Quadratic readers take half a minute for one round: that is enough to see it. */
const READERS = [
  { reader: "agentwire", rounds: { full: 5, quick: 3 } },
  { reader: "bare-queue", rounds: { full: 5, quick: 3 } },
  { reader: "atproto", rounds: { full: 1, quick: 0 } },
  { reader: "graphql-ws", rounds: { full: 1, quick: 0 } },
] as const;

export const backlog: Case = {
  name: "backlog",
  about: "200 000 chunks behind a reader that stalls",
  async measure(effort, progress) {
    const found = new Map<string, Measured>();
    for (const { reader, rounds } of READERS) {
      if (rounds[effort] === 0) continue;
      progress(`${reader}: ${CHUNKS} chunks, ${rounds[effort]} rounds`);
      found.set(reader, await measure("backlog", { reader, chunks: CHUNKS, rounds: rounds[effort] }));
    }
    const ours = found.get("agentwire") ?? {};
    const bare = figureOf(found.get("bare-queue") ?? {}, "drain");
    const peers = (value: (measured: Measured) => number): Record<string, number> =>
      Object.fromEntries(
        [...found]
          .filter(([name]) => name !== "agentwire")
          .map(([name, measured]) => [name, value(measured)]),
      );
    const growth = (measured: Measured): number => figureOf(measured, "growth");
    const moves = (measured: Measured): number => figureOf(measured, "moves");
    const drain = (measured: Measured): number => figureOf(measured, "drain") / bare;
    return [
      {
        name: "backlog-growth",
        about: "10 times the backlog, from the prompt to the last chunk read, takes",
        unit: "x",
        bar: 12,
        aim: 10,
        measured: growth(ours),
        peers: peers(growth),
      },
      {
        name: "backlog-moves",
        about: "elements moved inside of arrays for a backlog of 20 000",
        unit: "count",
        bar: 0,
        measured: moves(ours),
        peers: peers(moves),
      },
      {
        name: "backlog-drain",
        about: "CPU to read a backlog of 200 000, over a bare head-index queue",
        unit: "x",
        bar: 1.5,
        aim: 1.1,
        measured: drain(ours),
        peers: peers(drain),
      },
    ];
  },
};
