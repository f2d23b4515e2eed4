import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians } from "../support/numbers.ts";
import type { Case, Figure } from "./figure.ts";

const EFFORTS = {
  full: {
    processes: 5,
    fanOut: { viewers: 1_000, deltas: 40, rounds: 5 },
    latency: { warmUp: 200, deltas: 100, rounds: 5 },
    heap: { viewers: 1_000, chats: 1_000 },
    open: { opens: 11 },
    takeovers: 5,
  },
  quick: {
    processes: 1,
    fanOut: { viewers: 300, deltas: 40, rounds: 3 },
    latency: { warmUp: 50, deltas: 30, rounds: 2 },
    heap: { viewers: 300, chats: 200 },
    open: { opens: 3 },
    takeovers: 1,
  },
} as const;

/** ms. Short ones, since what comes on top of them is measured. */
const LEASE_TTL = 1_000;
const SWEEP_EVERY = 300;
const TAKEOVER = 1.5 * LEASE_TTL + SWEEP_EVERY;

const KIB = 1.024;

/** By how much a busy machine delays a message, in ms. */
const BUSY = 5;

/** By log: what it may add to the time of a delta, in ms. */
const LATENCIES = {
  memory: { bar: 0.5, about: "in memory" },
  sqlite: { bar: 1, about: "in a SQLite file" },
  "sqlite, other process": { bar: 5, about: "in a SQLite file, to a viewer at another process" },
  redis: { bar: 2, about: "in Redis" },
} as const;

export const relay: Case = {
  name: "relay",
  about: "CPU, time and heap of a relay, over raw server-sent events of the same bytes",
  async measure(effort, progress) {
    const { processes, fanOut, latency, heap, open, takeovers } = EFFORTS[effort];
    const samples: Measured[] = [];
    for (let process = 1; process <= processes; process++) {
      progress(`run ${process} of ${processes}: ${fanOut.viewers} viewers of one chat, beside raw events`);
      samples.push(await measure("relay-fan-out", fanOut));
    }
    const found = medians(samples);
    progress(`raw events take ${figureOf(found, "raw µs").toFixed(1)} µs of CPU for a viewer`);
    progress("the time of a delta through each log");
    const times = await measure("relay-latency", latency);
    progress(`raw events arrive after ${figureOf(times, "raw").toFixed(2)} ms`);
    if (times["redis"] === undefined) progress("NOT MEASURED: Redis, since there is no redis-server");
    progress("the heap of viewers and chats");
    const bytes = await measure("relay-heap", heap);
    progress("opening a chat");
    const opened = await measure("relay-open", open);
    progress("takeovers");
    const taken = await measure("relay-takeover", {
      leaseTtl: LEASE_TTL,
      sweepEvery: SWEEP_EVERY,
      times: takeovers,
    });
    return [
      {
        name: "relay-cpu",
        about: "CPU of a relay for a delta that reaches one of many viewers, over raw server-sent events",
        unit: "x",
        bar: 1.3,
        aim: 1.2,
        measured: figureOf(found, "cpu"),
      },
      {
        name: "relay-wall",
        about: "the time until all of them have it, over raw server-sent events",
        unit: "x",
        bar: 1.25,
        measured: figureOf(found, "wall"),
      },
      ...Object.entries(LATENCIES).flatMap(([log, { bar, about }]): Figure[] => {
        const time = times[log];
        if (time === undefined) return [];
        return [
          {
            name: `relay-latency-${log.replace(/\W+/g, "-")}`,
            about: `time that a relay adds to a delta, with its log ${about}`,
            unit: "ms",
            bar,
            measured: time - figureOf(times, "raw"),
            noise: BUSY,
          },
        ];
      }),
      {
        name: "relay-heap-viewer",
        about: "heap of a relay for an idle viewer",
        unit: "kB",
        bar: 14 * KIB,
        measured: figureOf(bytes, "viewer") / 1_000,
        peers: { raw: figureOf(bytes, "viewer, raw") / 1_000 },
      },
      {
        name: "relay-heap-driven",
        about: "heap of a relay for a chat that it drives, beside the source's own",
        unit: "kB",
        bar: 24 * KIB,
        measured: figureOf(bytes, "driven") / 1_000,
        peers: { source: figureOf(bytes, "source") / 1_000 },
      },
      {
        name: "relay-heap-idle",
        about: "heap of a relay for a chat that nobody drives or views, with its log in a file",
        unit: "kB",
        bar: 0.5, // of the engine
        aim: 0,
        measured: figureOf(bytes, "idle") / 1_000,
        noise: 2,
      },
      {
        name: "relay-open",
        about:
          "time from `createChat(remote(...))` to all messages of 10 000 events, from the relay's snapshot",
        unit: "ms",
        bar: 150,
        measured: figureOf(opened, "snapshot"),
        peers: { "from all events": figureOf(opened, "events") },
        noise: 40 * BUSY,
      },
      {
        name: "relay-takeover",
        about: "time from the kill of a driver to the end of its turn, above 1.5 `leaseTtl` + `sweepEvery`",
        unit: "ms",
        bar: 100,
        measured: figureOf(taken, "time") - TAKEOVER,
        noise: 60 * BUSY,
      },
    ];
  },
};
