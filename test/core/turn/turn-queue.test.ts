import { describe, expect, test } from "vitest";
import { QueueFullError } from "../../../src/core/errors.ts";
import { TurnQueue } from "../../../src/core/turn/turn-queue.ts";
import { thrownBy } from "../support/promises.ts";

function queued(limits: { maxTurns: number; maxBytes: number }, sizes: Readonly<Record<string, number>>) {
  const queue = new TurnQueue<string>(limits);
  for (const [turn, bytes] of Object.entries(sizes)) queue.add(turn, bytes);
  return queue;
}

const roomy = { maxTurns: 100, maxBytes: 1_000 };

describe("TurnQueue", () => {
  test("keeps turns in order, and the first one until it is deleted", () => {
    const queue = queued(roomy, { a: 1, b: 1, c: 1 });
    expect([queue.first(), queue.first(), queue.size]).toEqual(["a", "a", 3]);
    expect([queue.delete("a"), queue.first()]).toEqual([true, "b"]);
    expect(queue.takeAll()).toEqual(["b", "c"]);
    expect([queue.first(), queue.size, queue.takeAll()]).toEqual([undefined, 0, []]);
  });

  test("deletes a turn from the middle once", () => {
    const queue = queued(roomy, { a: 1, b: 1, c: 1 });
    expect([queue.delete("b"), queue.delete("b"), queue.delete("x")]).toEqual([true, false, false]);
    expect(queue.takeAll()).toEqual(["a", "c"]);
  });

  test.each<{ waiting: Record<string, number>; asks: number; full: object | undefined }>([
    { waiting: {}, asks: 11, full: undefined },
    { waiting: { a: 10 }, asks: 0, full: undefined },
    { waiting: { a: 4 }, asks: 6, full: undefined },
    { waiting: { a: 4 }, asks: 7, full: { bytes: 11, limit: 10 } },
    { waiting: { a: 99 }, asks: 1, full: { bytes: 100, limit: 10 } },
    { waiting: { a: 1, b: 1 }, asks: 1, full: undefined },
    { waiting: { a: 1, b: 1, c: 1 }, asks: 1, full: { bytes: 4, limit: 3 } },
  ])(
    "with $waiting of at most 3 turns and 10 bytes, adding $asks bytes gives: $full",
    ({ waiting, asks, full }) => {
      const queue = queued({ maxTurns: 3, maxBytes: 10 }, waiting);
      if (full === undefined) {
        queue.assertSpace(asks);
        queue.add("new", asks);
        expect(queue.size).toBe(Object.keys(waiting).length + 1);
      } else {
        const error = thrownBy(() => queue.assertSpace(asks));
        expect(error).toBeInstanceOf(QueueFullError);
        expect(error).toMatchObject({ ...full, code: "queue-full", delivery: "not-sent", retryable: true });
      }
    },
  );

  test.each<{ how: string; free: (queue: TurnQueue<string>) => void }>([
    { how: "deleting", free: (queue) => queue.delete("b") },
    { how: "clearing", free: (queue) => queue.takeAll() },
  ])("$how frees the bytes once", ({ free }) => {
    const queue = queued({ maxTurns: 9, maxBytes: 10 }, { a: 1, b: 9 });
    expect(() => queue.assertSpace(1)).toThrow(QueueFullError);
    free(queue);
    free(queue);
    queue.add("c", 1);
    expect(() => queue.assertSpace(8)).not.toThrow();
    expect(() => queue.assertSpace(10)).toThrow(QueueFullError);
  });
});

describe("a held turn", () => {
  test("counts against the limits, is never first, and stays on `takeAll()`", () => {
    const queue = new TurnQueue<string>({ maxTurns: 2, maxBytes: 10 });
    queue.hold("later", 4);
    expect([queue.first(), queue.size]).toEqual([undefined, 0]);
    queue.add("now", 4);
    expect(queue.first()).toBe("now");
    expect(() => queue.assertSpace(1)).toThrow(expect.objectContaining({ code: "queue-full", limit: 2 }));
    expect(queue.takeAll()).toEqual(["now"]);
    expect(() => queue.assertSpace(7)).toThrow(QueueFullError);
    expect(queue.delete("later")).toBe(true);
    queue.assertSpace(100);
  });

  test("counts once after it is added, and not at all after it is deleted", () => {
    const queue = new TurnQueue<string>({ maxTurns: 10, maxBytes: 10 });
    queue.hold("a", 6);
    expect(() => queue.assertSpace(5)).toThrow(expect.objectContaining({ code: "queue-full", limit: 10 }));
    queue.add("a", 6);
    queue.assertSpace(4);
    expect(() => queue.assertSpace(5)).toThrow(expect.objectContaining({ code: "queue-full" }));
    expect([queue.delete("a"), queue.delete("a")]).toEqual([true, false]);
    queue.hold("b", 6);
    queue.add("b"); // what it took while it was held
    expect(() => queue.assertSpace(5)).toThrow(expect.objectContaining({ code: "queue-full" }));
    expect(queue.delete("b")).toBe(true);
    queue.add("c", 1);
    queue.assertSpace(9);
  });
});
