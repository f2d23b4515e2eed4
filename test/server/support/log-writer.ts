// A process that writes to a SQLite log: takes the lease when it is free, adds batches, and gives it back.
import { sqliteLog } from "../../../src/server/sqlite-log.node.ts";
import { eventsFrom } from "../../../src/testing/event-log/log-test.ts";

const [file = "", name = "", rounds = ""] = process.argv.slice(2);
const log = sqliteLog(file);
const limits = { maxQueued: 1_000_000, keyTtl: 3_600_000 };
let refused = 0;
for (let round = 1; round <= Number(rounds); round++) {
  await log.send("chat", { key: `${name} ${round}`, kind: "prompt", value: name }, "hash", limits);
  for (;;) {
    const lease = await log.acquire("chat", name, 3_600_000);
    if (lease === null || lease === "orphan") {
      refused++;
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    const first = lease.head + 1;
    const result = await log.append("chat", lease.epoch, first, eventsFrom(first, 2, "all"));
    if (!result.ok) throw new Error(`refused: ${result.why}`);
    await log.release("chat", name, lease.epoch);
    break;
  }
}
await log.close();
console.log(JSON.stringify({ refused }));
