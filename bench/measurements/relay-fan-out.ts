/** CPU and time of a server for each delta that reaches a viewer, many viewers of one chat: a relay, over raw events. */
import { answer } from "../support/measure.ts";
import { median } from "../support/numbers.ts";
import { type RelayWorld, startWorld } from "../support/relay-world.ts";

/** Deltas on their way at once: few enough that each one is a frame. */
const WINDOW = 4;

/** Deltas before anything is measured. */
const WARM_UP = 40;

interface Round {
  readonly cpu: number;
  readonly wall: number;
}

async function round(world: RelayWorld, deltas: number): Promise<Round> {
  const [cpu, start] = [await world.server.call("cpu"), performance.now()];
  await world.deliver(deltas, WINDOW);
  const wall = performance.now() - start;
  return { cpu: (await world.server.call("cpu")) - cpu, wall };
}

await answer(async (settings) => {
  const [viewers, deltas, rounds] = ["viewers", "deltas", "rounds"].map(settings.number) as [
    number,
    number,
    number,
  ];
  using raw = await startWorld({ log: "raw" }, viewers);
  using relay = await startWorld({ log: "memory" }, viewers);
  const worlds = [raw, relay];
  for (const world of worlds) await world.deliver(WARM_UP, WINDOW);
  const [before, frames] = [await relay.viewers.call("bytes"), await relay.viewers.call("frames")];
  const rawBefore = await raw.viewers.call("bytes");
  const taken: (readonly [raw: Round, relay: Round])[] = [];
  for (let each = 0; each < rounds; each++)
    taken.push([await round(raw, deltas), await round(relay, deltas)]);

  // Nobody is light by sending less, or several deltas at once.
  const count = viewers * deltas * rounds;
  const bytes = (await relay.viewers.call("bytes")) - before;
  const rawBytes = (await raw.viewers.call("bytes")) - rawBefore;
  const framed = (await relay.viewers.call("frames")) - frames;
  if (Math.abs(bytes / rawBytes - 1) > 0.02)
    throw new Error(`the relay sent ${bytes} bytes, raw ${rawBytes}`);
  if (framed < count * 0.98) throw new Error(`the relay sent ${count} deltas in ${framed} frames`);

  const over = (what: keyof Round): number =>
    median(taken.map(([first, second]) => second[what] / first[what])); // the load of the machine changes
  const micros = (at: 0 | 1): number => median(taken.map((pair) => pair[at].cpu)) / (viewers * deltas);
  return { cpu: over("cpu"), wall: over("wall"), "raw µs": micros(0), "relay µs": micros(1) };
});
