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
