import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Queue } from "../../src/core/queue.ts";
import { runs } from "../helpers/runs.ts";
import { callsDuring } from "./support/costs.ts";

const MOVERS = ["shift", "unshift", "splice", "copyWithin", "slice", "concat", "reverse"] as const;

describe("Queue", () => {
  test.each([0, 1, 255, 256, 257, 512, 1_000])("returns %i items in order, then undefined", (count) => {
    const queue = new Queue<number>();
    for (let item = 0; item < count; item++) queue.add(item);
    expect(queue.size).toBe(count);
    expect(takeAll(queue)).toEqual(Array.from({ length: count }, (_, item) => item));
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });

  test("returns each item if it becomes empty repeatedly", () => {
    const queue = new Queue<number>();
    for (let item = 0; item < 1_000; item++) {
      queue.add(item);
      expect([queue.first, queue.take(), queue.size]).toEqual([item, item, 0]);
    }
  });

  test("behaves like an array for any order of calls", () => {
    const calls = fc.array(
      fc.oneof(fc.constant("take" as const), fc.constant("clear" as const), fc.nat(400)),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(calls, (calls) => {
        const [queue, model] = [new Queue<number>(), [] as number[]];
        for (const call of calls) {
          if (call === "take") expect(queue.take()).toBe(model.shift());
          else if (call === "clear") {
            queue.clear();
            model.length = 0;
          } else {
            for (let item = 0; item < call; item++) {
              queue.add(item);
              model.push(item);
            }
          }
          expect(queue.size).toBe(model.length);
        }
        expect(takeAll(queue)).toEqual(model);
      }),
      runs(100),
    );
  });

  test("`first` returns the next item without removing it, also at a segment's end", () => {
    const queue = new Queue<number>();
    for (let item = 0; item < 600; item++) queue.add(item);
    for (let item = 0; item < 600; item++) expect([queue.first, queue.take()]).toEqual([item, item]);
    expect(queue.first).toBeUndefined();
  });

  test("moves no array element, however many items it has", () => {
    let sum = 0;
    const moves = callsDuring(Array.prototype, MOVERS, () => {
      const queue = new Queue<number>();
      for (let item = 0; item < 100_000; item++) queue.add(item);
      for (let item = 0; item < 100_000; item++) sum += queue.take() ?? 0;
    });
    expect([moves, sum]).toEqual([0, (100_000 * 99_999) / 2]);
  });

  test("distinguishes an item that is undefined or false from an empty queue", () => {
    const queue = new Queue<unknown>();
    for (const item of [undefined, false, 0]) queue.add(item);
    expect([queue.take(), queue.size, queue.take(), queue.take(), queue.size]).toEqual([
      undefined,
      2,
      false,
      0,
      0,
    ]);
  });

  test("can be used again after `clear()`", () => {
    const queue = new Queue<number>();
    for (let item = 0; item < 600; item++) queue.add(item);
    queue.take();
    queue.clear();
    queue.add(7);
    expect([queue.size, queue.take(), queue.take()]).toEqual([1, 7, undefined]);
  });
});

function takeAll<T>(queue: Queue<T>): T[] {
  const items: T[] = [];
  while (queue.size > 0) items.push(queue.take() as T);
  return items;
}
