import { join } from "node:path";
import { sqliteLog } from "agentwire/server/node";
import { ManualClock } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { eventsFrom, leaseIn } from "../../src/testing/event-log/log-test.ts";

vi.mock("node:fs", async (importOriginal) => ({
  ...(await importOriginal<typeof import("node:fs")>()),
  watch: () => {
    throw new Error("this system gives no notices");
  },
}));

const TTL = 10_000;

describe("sqliteLog without notices of the system", () => {
  test("wakes a watcher by its timer and stops the timer", async () => {
    await using folder = await tempFolder();
    const file = join(folder.path, "log.db");
    const clock = new ManualClock();
    const log = sqliteLog(file, { clock });
    let wakes = 0;
    const stop = log.watch("chat", () => wakes++);
    const other = log.watch("other", () => {
      throw new Error("nothing happened here");
    });
    await writeOne(file);
    await clock.advance(250);
    expect(wakes).toBeGreaterThan(0);
    stop();
    expect(clock.pending).toBe(1);
    other();
    expect(clock.pending).toBe(0);
    await log.close();
  });

  test("wakes a watcher for a batch that got the number of a trimmed one", async () => {
    await using folder = await tempFolder();
    const file = join(folder.path, "log.db");
    const clock = new ManualClock();
    const [log, other] = [sqliteLog(file, { clock }), sqliteLog(file)];
    const { epoch } = leaseIn(await other.acquire("full", "owner", TTL));
    await other.append("full", epoch, 1, eventsFrom(1, 1));
    let wakes = 0;
    log.watch("chat", () => wakes++);
    await other.trim("full", 100);
    const lease = leaseIn(await other.acquire("chat", "owner", TTL));
    await other.append("chat", lease.epoch, 1, eventsFrom(1, 1));
    await clock.advance(250);
    expect(wakes).toBeGreaterThan(0);
    await Promise.all([log.close(), other.close()]);
  });
});

/** Adds an event by another handle. */
async function writeOne(file: string): Promise<void> {
  const log = sqliteLog(file);
  const { epoch } = leaseIn(await log.acquire("chat", "owner", TTL));
  await log.append("chat", epoch, 1, eventsFrom(1, 1));
  await log.close();
}
