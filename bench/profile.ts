/**
 * Where the CPU of one turn's chunks goes: `tsup --silent && node --expose-gc bench/profile.ts [chunks] [contender]`.
 * Self time per function, the sockets' and the engine's own included.
 */
import { Session } from "node:inspector/promises";
import { basename } from "node:path";
import { CONTENDERS } from "./measurements/contenders.ts";
import { startServer } from "./server/start.ts";
import { Sink } from "./support/sink.ts";

/** µs between two samples. */
const INTERVAL = 100;
const SHOWN = 40;

const chunks = Number(process.argv[2] ?? 200_000);
const wanted = process.argv[3] ?? "agentwire";
using server = await startServer();
const all = await Promise.all(
  Object.values(CONTENDERS)
    .flat()
    .map((connect) => connect(server, chunks)),
);
const contender = all.find(({ name }) => name === wanted);
if (!contender) throw new Error(`no contender is named ${wanted}: ${all.map(({ name }) => name).join(", ")}`);
await contender.stream(new Sink(chunks)); // warm
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: INTERVAL });
await session.post("Profiler.start");
await contender.stream(new Sink(chunks));
const { profile } = await session.post("Profiler.stop");

const functions = new Map(
  profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
    id,
    `${functionName || "(anonymous)"}  ${basename(url)}:${lineNumber + 1}`,
  ]),
);
const spent = new Map<string, number>();
for (const [index, id] of (profile.samples ?? []).entries()) {
  const name = functions.get(id) ?? "?";
  spent.set(name, (spent.get(name) ?? 0) + (profile.timeDeltas?.[index] ?? 0));
}
// Waiting, and the work of the profiler itself.
for (const name of spent.keys()) if (/^(?:\(idle\)|post {2})/.test(name)) spent.delete(name);
const total = [...spent.values()].reduce((sum, value) => sum + value, 0);
console.log(`${wanted}: ${(total / chunks).toFixed(2)} µs a chunk, of which`);
for (const [name, time] of [...spent].sort(([, a], [, b]) => b - a).slice(0, SHOWN))
  console.log(
    `${((time / total) * 100).toFixed(1).padStart(6)} %  ${(time / chunks).toFixed(3)} µs  ${name}`,
  );
process.exit();
