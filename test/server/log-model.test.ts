import { join } from "node:path";
import { memoryLog } from "agentwire/server";
import { sqliteLog } from "agentwire/server/node";
import { redisLog } from "agentwire/server/redis";
import { ManualClock } from "agentwire/testing";
import fc from "fast-check";
import { describe, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { compare, type Subject, steps } from "./support/log-steps.ts";
import { isRedisMissing, startRedis } from "./support/redis-server.ts";

/** Runs of 100 steps. */
const RUNS = 100;
/** ms: longer than any lease of the steps. */
const EXPIRED = 4_000_000;

const check = (subject: () => Subject): Promise<void> =>
  fc.assert(
    fc.asyncProperty(steps, (taken) => compare(subject(), taken)),
    runs(RUNS),
  );

describe("10,000 random steps are answered as the model answers them", { timeout: PATIENCE }, () => {
  test("by memoryLog", async () => {
    await check(() => {
      const clock = new ManualClock();
      const log = memoryLog({ clock });
      return { logs: [log, log], expire: () => clock.advance(EXPIRED) };
    });
  });

  test("by sqliteLog, with two handles on one file", async () => {
    await using folder = await tempFolder();
    const clock = new ManualClock();
    const file = join(folder.path, "log.db");
    const logs = [sqliteLog(file, { clock }), sqliteLog(file, { clock })] as const;
    await check(() => ({ logs, expire: () => clock.advance(EXPIRED) }));
    for (const log of logs) await log.close();
  });

  test.skipIf(isRedisMissing)("by redisLog, with two clients", async () => {
    await using redis = await startRedis();
    const logs = [redisLog(await redis.client()), redisLog(await redis.client())] as const;
    await check(() => ({ logs }));
  });
});
