/**
 * CPU per chunk, from the socket to the reader, for all contenders of a protocol in turns.
 *
 * Garbage is collected when the engine wants to, not between the rounds: what is collected by force while
 * nothing streams takes the shapes of objects along that code was compiled for, and the next round would
 * measure the compiler (0.5 µs of 2.5 per chunk of agentwire's, 0.1 of 1.2 of the raw reader's).
 */
import { startServer } from "../server/start.ts";
import { cpuOf } from "../support/cpu.ts";
import { answer } from "../support/measure.ts";
import { median } from "../support/numbers.ts";
import { Sink } from "../support/sink.ts";
import { CONTENDERS } from "./contenders.ts";

await answer(async (settings) => {
  const chunks = settings.number("chunks");
  const warmUps = settings.number("warmUps");
  const rounds = settings.number("rounds");
  using server = await startServer();
  const connects = CONTENDERS[settings.text("protocol")];
  if (!connects) throw new Error("no such protocol");
  const contenders = await Promise.all(connects.map((connect) => connect(server, chunks)));
  const cost = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    // Each round begins with another one: who comes first pays for nobody's left-overs.
    for (let index = 0; index < contenders.length; index++) {
      const contender = contenders[(index + round + warmUps) % contenders.length];
      if (!contender) continue;
      // The first round compares what is read: it is not measured.
      const sink = new Sink(chunks, contender.texts, {
        compares: contender.texts !== undefined && round === -warmUps,
      });
      const spent = await cpuOf(() => contender.stream(sink));
      sink.check(contender.name);
      if (round >= 0) cost.get(contender.name)?.push(spent / chunks);
    }
  }
  for (const contender of contenders) contender.close();
  const raw = cost.get(contenders[0]?.name ?? "") ?? [];
  const measured: Record<string, number> = { "raw µs": median(raw) };
  for (const [name, spent] of cost) {
    // Paired: what slows the machine down for a round slows both.
    measured[name] = median(spent.map((value, round) => value / (raw[round] ?? Number.NaN)));
  }
  return measured;
});
