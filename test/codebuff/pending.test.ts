import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { Pending } from "../../src/codebuff/session/pending.ts";

function rig(timeout = 100) {
  const clock = new ManualClock();
  const late: string[] = [];
  const pending = new Pending<string>(clock, timeout, (id, request) =>
    late.push(`${request}#${id}@${clock.now()}`),
  );
  return { clock, late, pending };
}

describe("Pending", () => {
  test("`take()` returns a request by its id, once", () => {
    const { clock, pending } = rig();
    pending.add(1, "a");
    pending.add(2, "b");
    expect([pending.take(2), pending.take(2), pending.take(9), pending.size]).toEqual([
      "b",
      undefined,
      undefined,
      1,
    ]);
    expect(clock.pending).toBe(1);
  });

  test("a reused id belongs to the later request, with a time limit of its own", async () => {
    const { clock, late, pending } = rig();
    pending.add(1, "old");
    await clock.advance(60);
    pending.add(1, "new");
    await clock.advance(60);
    expect(late).toEqual([]);
    expect(pending.take(1)).toBe("new");
    expect(clock.pending).toBe(0);
  });

  test("`takeFirst()` returns the oldest request, or the oldest that matches", () => {
    const { clock, pending } = rig();
    for (const [id, request] of ["init", "ping", "init"].entries()) pending.add(id, request);
    expect(pending.takeFirst((request) => request === "ping")).toBe("ping");
    expect(pending.takeFirst((request) => request === "prompt")).toBeUndefined();
    expect([pending.takeFirst(), pending.take(0), pending.takeFirst()]).toEqual(["init", undefined, "init"]);
    expect([pending.takeFirst(), pending.size, clock.pending]).toEqual([undefined, 0, 0]);
  });

  test("a request without a reply in time is removed and reported; others keep their time limits", async () => {
    const { clock, late, pending } = rig();
    pending.add(1, "a");
    await clock.advance(60);
    pending.add(2, "b");
    await clock.advance(40);
    expect([late, [...pending.values()]]).toEqual([["a#1@100"], ["b"]]);
    await clock.advance(60);
    expect([late, pending.size, clock.pending]).toEqual([["a#1@100", "b#2@160"], 0, 0]);
  });

  test("a reply in time leaves no timer", async () => {
    const { clock, late, pending } = rig();
    pending.add(1, "a");
    pending.take(1);
    expect(clock.pending).toBe(0);
    await clock.advance(1_000);
    expect(late).toEqual([]);
  });

  test("a time limit of 0 never expires", async () => {
    const { clock, late, pending } = rig(0);
    pending.add(1, "a");
    expect(clock.pending).toBe(0);
    await clock.advance(1e9);
    expect([late, pending.size]).toEqual([[], 1]);
  });

  test("`values()` and `clear()` list the oldest first, and `clear()` leaves no timer", () => {
    const { clock, pending } = rig();
    for (const [id, request] of ["a", "b", "c"].entries()) pending.add(id, request);
    expect([...pending.values()]).toEqual(["a", "b", "c"]);
    expect(pending.clear()).toEqual(["a", "b", "c"]);
    expect([pending.size, clock.pending, pending.clear()]).toEqual([0, 0, []]);
  });
});

describe("the timers of requests on a blocked connection", () => {
  test("wait, and start when `startUpTo()` allows it", async () => {
    const { clock, late, pending } = rig();
    pending.add(1, "a");
    pending.startUpTo(1);
    pending.add(2, "b");
    pending.add(3, "c");
    await clock.advance(1_000);
    expect(late).toEqual(["a#1@100"]);
    pending.startUpTo(2);
    await clock.advance(99);
    expect(late).toEqual(["a#1@100"]);
    await clock.advance(1);
    expect(late).toEqual(["a#1@100", "b#2@1100"]);
    pending.startUpTo(Number.POSITIVE_INFINITY);
    await clock.advance(100);
    expect(late).toEqual(["a#1@100", "b#2@1100", "c#3@1200"]);
  });

  test("run on if they were started before", async () => {
    const { clock, late, pending } = rig();
    pending.add(1, "a");
    await clock.advance(60);
    pending.startUpTo(5);
    await clock.advance(40);
    expect(late).toEqual(["a#1@100"]);
  });

  test("never start for removed requests", () => {
    const { clock, pending } = rig();
    pending.startUpTo(5);
    pending.add(7, "a");
    pending.add(8, "b");
    pending.take(7);
    pending.clear();
    pending.startUpTo(9);
    expect(clock.pending).toBe(0);
  });
});
