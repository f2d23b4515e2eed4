import { describe, expect, test } from "vitest";
import { BufferOverflowError } from "../../../src/core/errors.ts";
import { EventBuffer } from "../../../src/core/turn/event-buffer.ts";
import { callsDuring } from "../support/costs.ts";
import { fateOf } from "../support/promises.ts";

/** Reads until nothing more is to be had, and says how it stopped. */
async function read(buffer: EventBuffer<string>): Promise<readonly unknown[]> {
  const steps: unknown[] = [];
  for (;;) {
    const step = await fateOf(buffer.next());
    if (step.state === "pending") return [...steps, "waits"];
    if (step.state === "rejected") return [...steps, step.error];
    if (step.value.done) return [...steps, "ends"];
    steps.push(step.value.value);
  }
}

const failure = new Error("broken");

function filled(...values: readonly string[]): EventBuffer<string> {
  const buffer = new EventBuffer<string>(100);
  for (const value of values) buffer.push(value, value.length);
  return buffer;
}

describe("EventBuffer", () => {
  test("returns pushed values in order, and counts the buffered bytes", async () => {
    const buffer = filled("a", "bb", "ccc");
    expect(buffer.bytes).toBe(6);
    await buffer.next();
    expect(buffer.bytes).toBe(5);
    expect(await read(buffer)).toEqual(["bb", "ccc", "waits"]);
    expect(buffer.bytes).toBe(0);
  });

  test("serves waiting readers in order, without buffering", async () => {
    const buffer = new EventBuffer<string>(0);
    const waiters = [buffer.next(), buffer.next(), buffer.next()];
    for (const value of ["a", "b", "c"]) buffer.push(value, 10);
    expect(await Promise.all(waiters)).toEqual(["a", "b", "c"].map((value) => ({ done: false, value })));
    expect(buffer.bytes).toBe(0);
  });

  test("`keeps` is false while a reader waits and after the end", async () => {
    const buffer = filled("a");
    expect(buffer.keeps).toBe(true);
    await buffer.next();
    const next = buffer.next();
    expect(buffer.keeps).toBe(false);
    buffer.push("b", 1);
    await next;
    expect(buffer.keeps).toBe(true);
    buffer.end();
    expect(buffer.keeps).toBe(false);
  });

  test("moves no element for 100,000 buffered values", async () => {
    const buffer = new EventBuffer<number>(Infinity);
    const taken: Promise<unknown>[] = [];
    const moves = callsDuring(Array.prototype, ["shift", "splice", "copyWithin"], () => {
      for (let value = 0; value < 100_000; value++) buffer.push(value, 1);
      for (let value = 0; value < 100_000; value++) taken[value] = buffer.next();
    });
    expect(moves).toBe(0);
    expect(await taken[99_999]).toEqual({ done: false, value: 99_999 });
  });
});

/** What a reader gets that comes after the calls. */
describe("a late reader", () => {
  test.each<{ calls: string; make: (buffer: EventBuffer<string>) => void; reads: readonly unknown[] }>([
    { calls: "nothing", make: () => {}, reads: ["a", "b", "waits"] },
    { calls: "end", make: (buffer) => buffer.end(), reads: ["a", "b", "ends"] },
    { calls: "fail", make: (buffer) => buffer.fail(failure), reads: ["a", "b", failure] },
    { calls: "drop", make: (buffer) => buffer.drop(), reads: ["ends"] },
    { calls: "end, fail", make: (buffer) => [buffer.end(), buffer.fail(failure)], reads: ["a", "b", "ends"] },
    {
      calls: "fail, end",
      make: (buffer) => [buffer.fail(failure), buffer.end()],
      reads: ["a", "b", failure],
    },
    {
      calls: "fail, fail",
      make: (buffer) => [buffer.fail(failure), buffer.fail(new Error("second"))],
      reads: ["a", "b", failure],
    },
    { calls: "end, drop", make: (buffer) => [buffer.end(), buffer.drop()], reads: ["ends"] },
    { calls: "fail, drop", make: (buffer) => [buffer.fail(failure), buffer.drop()], reads: ["ends"] },
    { calls: "drop, fail", make: (buffer) => [buffer.drop(), buffer.fail(failure)], reads: ["ends"] },
    { calls: "drop, drop", make: (buffer) => [buffer.drop(), buffer.drop()], reads: ["ends"] },
    { calls: "end, push", make: (buffer) => [buffer.end(), buffer.push("c", 1)], reads: ["a", "b", "ends"] },
    {
      calls: "fail, push",
      make: (buffer) => [buffer.fail(failure), buffer.push("c", 1)],
      reads: ["a", "b", failure],
    },
    { calls: "drop, push", make: (buffer) => [buffer.drop(), buffer.push("c", 1)], reads: ["ends"] },
  ])("after $calls reads $reads", async ({ make, reads }) => {
    const buffer = filled("a", "b");
    make(buffer);
    expect(await read(buffer)).toEqual(reads);
  });

  test("gets a failure once, then the end", async () => {
    const buffer = filled();
    buffer.fail(failure);
    expect([await read(buffer), await read(buffer), await read(buffer)]).toEqual([
      [failure],
      ["ends"],
      ["ends"],
    ]);
  });

  test("gets a failure even if it is `undefined`", async () => {
    const buffer = filled();
    buffer.fail(undefined);
    expect(await fateOf(buffer.next())).toEqual({ state: "rejected", error: undefined });
  });
});

/** What readers get that wait when the call comes. */
describe("waiting readers", () => {
  test.each<{ call: string; make: (buffer: EventBuffer<string>) => void; first: string }>([
    { call: "end", make: (buffer) => buffer.end(), first: "resolved" },
    { call: "fail", make: (buffer) => buffer.fail(failure), first: "rejected" },
    { call: "drop", make: (buffer) => buffer.drop(), first: "resolved" },
  ])("all settle on $call, and only the first gets a failure", async ({ make, first }) => {
    const buffer = filled();
    const waiting = [buffer.next(), buffer.next(), buffer.next()].map(fateOf);
    make(buffer);
    const [one, ...others] = await Promise.all(waiting);
    expect(one?.state).toBe(first);
    if (one?.state === "rejected") expect(one.error).toBe(failure);
    for (const other of others)
      expect(other).toEqual({ state: "resolved", value: { done: true, value: undefined } });
    expect(await read(buffer)).toEqual(["ends"]);
  });
});

describe("the buffer's limit", () => {
  test.each([
    { bytes: [10], fits: true },
    { bytes: [4, 6], fits: true },
    { bytes: [11], fits: false },
    { bytes: [4, 6, 1], fits: false },
    { bytes: [10, 0], fits: true },
  ])("$bytes bytes of 10 fit: $fits", async ({ bytes, fits }) => {
    const buffer = new EventBuffer<number>(10);
    for (const [index, size] of bytes.entries()) buffer.push(index, size);
    buffer.end();
    const fates = [];
    for (let step = 0; step <= bytes.length; step++) fates.push((await fateOf(buffer.next())).state);
    expect(fates.includes("rejected")).toBe(!fits);
  });

  test("causes one BufferOverflowError after the buffered values, and drops later values", async () => {
    const buffer = new EventBuffer<string>(3);
    for (const value of ["aa", "bb", "c"]) buffer.push(value, value.length);
    buffer.fail(failure);
    const [first, overflow, ...rest] = await read(buffer);
    expect([first, rest]).toEqual(["aa", []]);
    expect(overflow).toBeInstanceOf(BufferOverflowError);
    expect(overflow).toMatchObject({ bytes: 4, limit: 3 });
    expect(await read(buffer)).toEqual(["ends"]);
  });

  test("allows more values after some are read", async () => {
    const buffer = new EventBuffer<string>(2);
    buffer.push("aa", 2);
    await buffer.next();
    buffer.push("bb", 2);
    expect(await read(buffer)).toEqual(["bb", "waits"]);
  });

  test("`drop()` discards the buffered values", async () => {
    const buffer = filled("aa", "bb");
    buffer.drop();
    expect(buffer.bytes).toBe(0);
    expect(await read(buffer)).toEqual(["ends"]);
  });
});
