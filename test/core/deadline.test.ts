import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { type Clock, Deadline } from "../../src/core/clock.ts";

function rig(delay: number) {
  const clock = new ManualClock();
  const expired: number[] = [];
  let timersSet = 0;
  const counting: Clock = {
    now: () => clock.now(),
    wallTime: () => clock.wallTime(),
    random: () => clock.random(),
    setTimeout: (callback, ms) => {
      timersSet++;
      return clock.setTimeout(callback, ms);
    },
  };
  const deadline = new Deadline(counting, delay, () => expired.push(clock.now()));
  return { clock, deadline, expired, timersSet: () => timersSet };
}

describe("Deadline", () => {
  test("expires once, after the delay, and leaves no timer", async () => {
    const { clock, deadline, expired } = rig(100);
    deadline.start();
    await clock.advance(99);
    expect([expired, deadline.running]).toEqual([[], true]);
    await clock.advance(1_000);
    expect([expired, deadline.running, clock.pending]).toEqual([[100], false, 0]);
  });

  test("does not run before `start()`, and `touch()` does not start it", async () => {
    const { clock, deadline, expired } = rig(100);
    deadline.touch();
    await clock.advance(1_000);
    expect([expired, deadline.running]).toEqual([[], false]);
  });

  test("counts from the last `touch()`", async () => {
    const { clock, deadline, expired } = rig(100);
    deadline.start();
    for (let step = 0; step < 5; step++) {
      await clock.advance(60);
      deadline.touch();
    }
    await clock.advance(99);
    expect(expired).toEqual([]);
    await clock.advance(1);
    expect(expired).toEqual([400]);
  });

  test("sets one timer per delay, not one per `touch()`", async () => {
    const { clock, deadline, timersSet } = rig(100);
    deadline.start();
    for (let step = 0; step < 1_000; step++) {
      deadline.touch();
      await clock.advance(1);
    }
    expect(timersSet()).toBeLessThanOrEqual(12);
    expect(clock.pending).toBe(1);
  });

  test("restarts at a second `start()`, still with one timer", async () => {
    const { clock, deadline, expired } = rig(100);
    deadline.start();
    await clock.advance(60);
    deadline.start();
    expect(clock.pending).toBe(1);
    await clock.advance(99);
    expect(expired).toEqual([]);
    await clock.advance(1);
    expect(expired).toEqual([160]);
  });

  test("can be stopped twice and started again", async () => {
    const { clock, deadline, expired } = rig(100);
    deadline.start();
    deadline.stop();
    deadline.stop();
    expect([deadline.running, clock.pending]).toEqual([false, 0]);
    await clock.advance(50);
    deadline.start();
    await clock.advance(100);
    expect(expired).toEqual([150]);
  });

  test("never expires with a delay of 0, and sets no timer", async () => {
    const { clock, deadline, expired } = rig(0);
    deadline.start();
    deadline.touch();
    expect([deadline.running, clock.pending]).toEqual([false, 0]);
    await clock.advance(1e9);
    expect(expired).toEqual([]);
  });
});
