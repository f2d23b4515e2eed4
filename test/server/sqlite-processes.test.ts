import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sqliteLog } from "agentwire/server/node";
import { expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { eventsFrom, leaseIn, readAll } from "../../src/testing/event-log/log-test.ts";

const WRITER = fileURLToPath(new URL("support/log-writer.ts", import.meta.url));
const ROUNDS = 50;
const NAMES = ["one", "two", "three"];

test("processes that open and write one new file at once lose nothing and double nothing", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "log.db");
  await Promise.all(
    NAMES.map((name) => promisify(execFile)(process.execPath, [WRITER, file, name, String(ROUNDS)])),
  );
  const log = sqliteLog(file);
  const count = NAMES.length * ROUNDS * 2;
  expect(await readAll(log, "chat")).toEqual(eventsFrom(1, count, "all"));
  const keys = (await log.queue("chat")).map(({ key }) => key);
  for (const name of NAMES)
    expect(keys.filter((key) => key.startsWith(`${name} `))).toEqual(
      Array.from({ length: ROUNDS }, (_, at) => `${name} ${at + 1}`),
    );
  await log.close();
});

test("an append of another process wakes a watcher, and its kill leaves whole batches", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "log.db");
  const log = sqliteLog(file);
  const writer = spawn(process.execPath, [WRITER, file, "writer", "1000000"], { stdio: "ignore" });
  const gone = once(writer, "exit");
  await new Promise<void>((resolve) => {
    const stop = log.watch("chat", async () => {
      if (((await log.head("chat"))?.head ?? 0) < 20) return;
      stop();
      resolve();
    });
  });
  writer.kill("SIGKILL");
  await gone;
  const head = (await log.head("chat"))?.head ?? 0;
  expect(head % 2).toBe(0);
  expect(await readAll(log, "chat")).toEqual(eventsFrom(1, head, "all"));
  const lease = await log.acquire("chat", "next", 1_000, true);
  if (lease !== null) {
    const { epoch } = leaseIn(lease); // it was killed between two leases
    expect(await log.append("chat", epoch, head + 1, eventsFrom(head + 1, 1, "all"))).toEqual({ ok: true });
  }
  await log.close();
});
