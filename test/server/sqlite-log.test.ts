import { join } from "node:path";
import { sqliteLog } from "agentwire/server/node";
import { eventLogPromises, ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";

describe("sqliteLog keeps the promises of EventLog", () => {
  for (const { name, check } of eventLogPromises)
    test(`with one handle: ${name}`, async () => {
      await using folder = await tempFolder();
      const clock = new ManualClock();
      await check(() => sqliteLog(join(folder.path, "log.db"), { clock }), {
        elapse: (ms) => clock.advance(ms),
      });
      expect(clock.pending).toBe(0);
    });

  for (const { name, check } of eventLogPromises)
    test(`with two handles on one file: ${name}`, async () => {
      await using folder = await tempFolder();
      const file = join(folder.path, "log.db");
      await check(() => [sqliteLog(file), sqliteLog(file)]);
    });
});
