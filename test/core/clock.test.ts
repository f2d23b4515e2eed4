import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MAX_DELAY, systemClock } from "../../src/core/clock.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the system clock", () => {
  test("calls back once after the delay", () => {
    const callback = vi.fn();
    systemClock.setTimeout(callback, 100);
    vi.advanceTimersByTime(99);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  test("a timer can be cancelled twice, and after it fired", () => {
    const callback = vi.fn();
    const cancel = systemClock.setTimeout(callback, 100);
    cancel();
    cancel();
    vi.advanceTimersByTime(1_000);
    expect(callback).not.toHaveBeenCalled();
    const late = systemClock.setTimeout(callback, 100);
    vi.advanceTimersByTime(100);
    late();
    expect(callback).toHaveBeenCalledTimes(1);
  });

  test("caps a delay at the timer's maximum, instead of firing at once", () => {
    const callback = vi.fn();
    systemClock.setTimeout(callback, MAX_DELAY * 10);
    vi.advanceTimersByTime(MAX_DELAY - 1);
    expect(callback).not.toHaveBeenCalled();
  });

  test.each([
    { options: undefined, holds: true },
    { options: {}, holds: true },
    { options: { unref: false }, holds: true },
    { options: { unref: true }, holds: false },
  ])("with $options a timer keeps the process alive: $holds", ({ options, holds }) => {
    const held = { unref: vi.fn() };
    const spy = vi.spyOn(globalThis, "setTimeout").mockReturnValue(held as unknown as NodeJS.Timeout);
    systemClock.setTimeout(() => {}, 1, options);
    spy.mockRestore();
    expect(held.unref.mock.calls.length).toBe(holds ? 0 : 1);
  });

  test("works on platforms whose timers are numbers", () => {
    const spy = vi.spyOn(globalThis, "setTimeout").mockReturnValue(7 as unknown as NodeJS.Timeout);
    const cleared = vi.spyOn(globalThis, "clearTimeout");
    systemClock.setTimeout(() => {}, 1, { unref: true })();
    expect(cleared).toHaveBeenCalledWith(7);
    spy.mockRestore();
    cleared.mockRestore();
  });

  test("`wallTime()` returns the system's time of day", () => {
    vi.setSystemTime(Date.UTC(2026, 0, 28));
    expect(systemClock.wallTime()).toBe(Date.UTC(2026, 0, 28));
    vi.advanceTimersByTime(5);
    expect(systemClock.wallTime()).toBe(Date.UTC(2026, 0, 28) + 5);
  });

  test("`now()` never runs backwards, and `random()` is in [0, 1)", () => {
    const before = systemClock.now();
    vi.advanceTimersByTime(5);
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    const random = systemClock.random();
    expect(random >= 0 && random < 1).toBe(true);
  });
});
