import { ManualClock, MockCass } from "agentwire/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readToken } from "../../src/cass/auth/jwt.ts";

const EPOCH = Date.UTC(2026, 0, 28);
beforeEach(() => {
  vi.useFakeTimers({ now: EPOCH });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the wall time of a manual clock", () => {
  test("starts at the time of creation and moves only with `advance()`", async () => {
    const clock = new ManualClock();
    vi.advanceTimersByTime(60_000);
    expect(clock.wallTime()).toBe(EPOCH);
    await clock.advance(1_500);
    expect([clock.now(), clock.wallTime()]).toEqual([1_500, EPOCH + 1_500]);
  });

  test("starts at `epoch`", async () => {
    const clock = new ManualClock({ epoch: 1_000 });
    await clock.advance(1);
    expect(clock.wallTime()).toBe(1_001);
  });

  test.each([undefined, 1_000_000])(
    "is also the wall time of a Cass mock that was started later: epoch %s",
    async (epoch) => {
      const clock = new ManualClock(epoch === undefined ? {} : { epoch });
      await clock.advance(500);
      await using mock = new MockCass({ clock });
      await clock.advance(500);
      const { accessToken } = mock.addUser();
      expect(readToken(accessToken)?.expiresAt).toBe(Math.floor(clock.wallTime() / 1_000) + 1_800);
    },
  );
});
