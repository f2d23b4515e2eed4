import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { ClosedError, RequestError, RequestTimeoutError } from "../../src/core/errors.ts";
import { Replies } from "../../src/core/replies.ts";

function made() {
  const clock = new ManualClock();
  const replies = new Replies<string>(clock);
  const told: string[] = [];
  const ask = (name: string, timeout = 0): void =>
    replies.add({
      timeout,
      reply: (reply) => void told.push(`${name}: ${reply}`),
      failed: (error) => void told.push(`${name}: ${error.code}`),
      late: () => new RequestTimeoutError("late", { timeout }),
    });
  return { clock, replies, told, ask };
}

describe("a reply awaited as a promise", () => {
  const late = () => new RequestTimeoutError("late", { timeout: 100 });

  test("resolves in order, or rejects", async () => {
    const { replies } = made();
    const [first, second] = [replies.ask(0, late), replies.ask(0, late)];
    replies.take("one");
    replies.spoil(new ClosedError("closed"));
    expect(await first).toBe("one");
    await expect(second).rejects.toMatchObject({ code: "closed" });
  });

  test("rejects after its timeout", async () => {
    const { clock, replies } = made();
    const reply = replies.ask(100, late);
    const failed = expect(reply).rejects.toMatchObject({ code: "request-timeout" });
    await clock.advance(100);
    await failed;
  });
});

describe("replies to requests without ids", () => {
  test("settle the requests in order, first in, first out", () => {
    const { replies, told, ask } = made();
    ask("a");
    ask("b");
    expect([replies.take("one"), replies.take("two"), replies.take("three")]).toEqual([true, true, false]);
    expect(told).toEqual(["a: one", "b: two"]);
  });

  test("that arrive after the timeout are not taken for the next request's", async () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    ask("b", 20);
    await clock.advance(10);
    expect(told).toEqual(["a: request-timeout"]);
    expect(replies.take("one")).toBe(true);
    expect(replies.take("two")).toBe(true);
    expect(told).toEqual(["a: request-timeout", "b: two"]);
  });

  test("that arrive in time stop the timer", async () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    replies.take("one");
    expect(clock.pending).toBe(0);
    await clock.advance(10);
    expect(told).toEqual(["a: one"]);
  });

  test("are awaited without a limit if the timeout is 0", async () => {
    const { clock, told, ask } = made();
    ask("a");
    expect(clock.pending).toBe(0);
    await clock.advance(3_600_000);
    expect(told).toEqual([]);
  });

  test("get their whole timeout again after `hold(false)`", async () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    await clock.advance(9);
    replies.hold(true);
    ask("b", 10);
    await clock.advance(1_000);
    expect(told).toEqual([]);
    replies.hold(false);
    await clock.advance(9);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(["a: request-timeout", "b: request-timeout"]);
  });

  test("are not reported again after `hold(false)` if they timed out", async () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    await clock.advance(10);
    replies.hold(true);
    replies.hold(false);
    await clock.advance(1_000);
    expect([told, replies.due]).toEqual([["a: request-timeout"], 1]);
  });

  test("that cannot be parsed fail the oldest request", () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    ask("b", 10);
    const error = new RequestError("unreadable", { serverMessage: "odd" });
    expect(replies.spoil(error)).toBe(true);
    replies.take("two");
    expect(told).toEqual(["a: request-refused", "b: two"]);
    expect(replies.spoil(error)).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test("fail on `clear()`, each with its own error, and leave no timer", () => {
    const { clock, replies, told, ask } = made();
    const errors = new Set<unknown>();
    ask("a", 10);
    ask("b");
    replies.clear(() => {
      const error = new ClosedError("gone");
      errors.add(error);
      return error;
    });
    expect(told).toEqual(["a: closed", "b: closed"]);
    expect(errors.size).toBe(2);
    expect(clock.pending).toBe(0);
    expect(replies.take("late")).toBe(false);
  });

  test("are not reported by `clear()` if they timed out", async () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    await clock.advance(10);
    replies.clear(() => new ClosedError("gone"));
    expect(told).toEqual(["a: request-timeout"]);
  });
});
