import { startServer } from "../server/start.ts";
import { cpuOf } from "../support/cpu.ts";
import { median } from "../support/numbers.ts";
import { Sink } from "../support/sink.ts";
import { CONTENDERS } from "./contenders.ts";
const chunks = Number(process.argv[3] ?? 50000), rounds = Number(process.argv[4] ?? 9);
using server = await startServer();
const list = await Promise.all((CONTENDERS[process.argv[2] ?? "codebuff"] ?? []).map((c) => c(server, chunks)));
const names = process.argv[5]?.split(",");
const cs = list.filter(({ name }, i) => i === 0 || !names || names.includes(name));
const cost = new Map<string, number[]>(cs.map(({ name }) => [name, []]));
for (let r = -2; r < rounds; r++) for (let i = 0; i < cs.length; i++) {
  const c = cs[(i + r + 2) % cs.length]!;
  const spent = await cpuOf(async () => { const s = new Sink(chunks); await c.stream(s); s.check(c.name); });
  if (r >= 0) cost.get(c.name)!.push(spent / chunks);
}
const raw = cost.get(cs[0]!.name)!;
for (const [n, v] of cost) console.log(n, median(v).toFixed(2), "µs", median(v.map((x, i) => x / raw[i]!)).toFixed(3));
process.exit();
