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
  test("a reply takes its request by id, once", () => {
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

  test("an id that is used again belongs to the later request, with a time of its own", async () => {
    const { clock, late, pending } = rig();
    pending.add(1, "old");
    await clock.advance(60);
    pending.add(1, "new");
    await clock.advance(60);
    expect(late).toEqual([]);
    expect(pending.take(1)).toBe("new");
    expect(clock.pending).toBe(0);
  });

  test("a reply without an id takes the oldest, or the oldest that fits", () => {
    const { clock, pending } = rig();
    for (const [id, request] of ["init", "ping", "init"].entries()) pending.add(id, request);
    expect(pending.takeFirst((request) => request === "ping")).toBe("ping");
    expect(pending.takeFirst((request) => request === "prompt")).toBeUndefined();
    expect([pending.takeFirst(), pending.take(0), pending.takeFirst()]).toEqual(["init", undefined, "init"]);
    expect([pending.takeFirst(), pending.size, clock.pending]).toEqual([undefined, 0, 0]);
  });

  test("a request without a reply in time is removed and reported; the others keep their own time", async () => {
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

  test("0 waits for ever", async () => {
    const { clock, late, pending } = rig(0);
    pending.add(1, "a");
    expect(clock.pending).toBe(0);
    await clock.advance(1e9);
    expect([late, pending.size]).toEqual([[], 1]);
  });

  test("values are told oldest first, and clearing gives them back so, without a timer left", () => {
    const { clock, pending } = rig();
    for (const [id, request] of ["a", "b", "c"].entries()) pending.add(id, request);
    expect([...pending.values()]).toEqual(["a", "b", "c"]);
    expect(pending.clear()).toEqual(["a", "b", "c"]);
    expect([pending.size, clock.pending, pending.clear()]).toEqual([0, 0, []]);
  });
});

describe("the clocks of requests behind something busy", () => {
  test("wait, and start when they may run", async () => {
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

  test("go on as they were when they run already", async () => {
    const { clock, late, pending } = rig();
    pending.add(1, "a");
    await clock.advance(60);
    pending.startUpTo(5);
    await clock.advance(40);
    expect(late).toEqual(["a#1@100"]);
  });

  test("never start for requests that are gone", () => {
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
