import { startServer } from "../server/start.ts";
import { Sink } from "../support/sink.ts";
import { CONTENDERS } from "./contenders.ts";
const chunks = 150000;
using server = await startServer();
const all = Object.values(CONTENDERS).flat();
for (const c of [process.argv[2] === "codey" ? CONTENDERS["codey"]![1]! : process.argv[2]==="raw" ? CONTENDERS["codey"]![0]! : CONTENDERS["codebuff"]![4]!]) {
  const k = await c(server, chunks);
  for (let i = 0; i < 3; i++) { const s = new Sink(chunks); const t = process.cpuUsage(); await k.stream(s); const u = process.cpuUsage(t); console.log("turn", ((u.user+u.system)/chunks).toFixed(2)); }
}
process.exit();
