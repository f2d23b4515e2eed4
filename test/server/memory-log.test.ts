import { memoryLog } from "agentwire/server";
import { eventLogPromises, ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";

describe("memoryLog keeps the promises of EventLog:", () => {
  for (const { name, check } of eventLogPromises)
    test(name, async () => {
      const clock = new ManualClock();
      await check(() => memoryLog({ clock }), { elapse: (ms) => clock.advance(ms) });
      expect(clock.pending).toBe(0);
    });
});

test("memoryLog refuses an unknown option", () => {
  expect(() => memoryLog({ clok: 1 } as object)).toThrow(/clock/);
});

const LIMITS = { maxQueued: 5, keyTtl: 60_000 };

test("memoryLog refuses events that are no list, and values that have no JSON, with the reason", async () => {
  const log = memoryLog();
  await expect(log.append("c", 1, 1, "events" as never)).rejects.toMatchObject({ code: "invalid-input" });
  await expect(log.append("c", 1, 1, [])).rejects.toThrow(/an empty array/);
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  const send = (value: unknown) => log.send("c", { key: "k", kind: "prompt", value }, "hash", LIMITS);
  await expect(send(loop)).rejects.toMatchObject({ code: "invalid-input", cause: expect.any(TypeError) });
  await expect(send(undefined)).rejects.toThrow(/undefined, which has no JSON/);
});

test("memoryLog does not wake a watcher that has left since the news", async () => {
  const log = memoryLog();
  const woken: string[] = [];
  const leave = log.watch("c", () => woken.push("left"));
  log.watch("c", () => woken.push("stays"));
  const sent = log.send("c", { key: "k", kind: "prompt", value: 1 }, "hash", LIMITS);
  leave();
  await sent;
  expect(woken).toEqual(["stays"]);
});
