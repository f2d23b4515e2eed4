/** What it costs to read a backlog behind a stalled reader, how that grows with its length, and what is moved. */
import { startServer } from "../server/start.ts";
import { collectGarbage, cpuOf } from "../support/cpu.ts";
import { countElementMoves } from "../support/element-moves.ts";
import { answer } from "../support/measure.ts";
import { median } from "../support/numbers.ts";
import { Sink } from "../support/sink.ts";
import { type Backlog, STALLED } from "./stalled-readers.ts";

await answer(async (settings) => {
  const reader = settings.text("reader");
  const chunks = settings.number("chunks");
  const rounds = settings.number("rounds");
  const stall = STALLED[reader];
  if (!stall) throw new Error(`no reader is named ${reader}`);
  using server = await startServer();

  const read = async (backlog: Backlog, count: number): Promise<void> => {
    const sink = new Sink(count);
    await backlog.readAll(sink);
    sink.check(reader);
  };
  const time = async (count: number): Promise<{ readonly drain: number; readonly all: number }> => {
    const made: Backlog[] = [];
    collectGarbage();
    const fill = await cpuOf(async () => made.push(await stall(server, count)));
    collectGarbage();
    const drain = await cpuOf(async () => {
      for (const backlog of made) await read(backlog, count);
    });
    return { drain, all: fill + drain };
  };

  const tenth = chunks / 10;
  const moves = await countElementMoves(async () => read(await stall(server, tenth), tenth));
  await time(tenth); // warm
  const short: number[] = [];
  const long: number[] = [];
  const drains: number[] = [];
  for (let round = 0; round < rounds; round++) {
    short.push((await time(tenth)).all);
    const { all, drain } = await time(chunks);
    long.push(all);
    drains.push(drain);
  }
  return { moves, drain: median(drains), growth: median(long) / median(short) };
});
