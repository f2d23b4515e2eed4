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

describe("a reply that is waited for as a promise", () => {
  const late = () => new RequestTimeoutError("late", { timeout: 100 });

  test("comes in order, or fails its promise", async () => {
    const { replies } = made();
    const [first, second] = [replies.ask(0, late), replies.ask(0, late)];
    replies.take("one");
    replies.spoil(new ClosedError("closed"));
    expect(await first).toBe("one");
    await expect(second).rejects.toMatchObject({ code: "closed" });
  });

  test("has its time", async () => {
    const { clock, replies } = made();
    const reply = replies.ask(100, late);
    const failed = expect(reply).rejects.toMatchObject({ code: "request-timeout" });
    await clock.advance(100);
    await failed;
  });
});

describe("replies to requests without ids", () => {
  test("go to those who asked, first in, first out", () => {
    const { replies, told, ask } = made();
    ask("a");
    ask("b");
    expect([replies.take("one"), replies.take("two"), replies.take("three")]).toEqual([true, true, false]);
    expect(told).toEqual(["a: one", "b: two"]);
  });

  test("that come late are not the next one's", async () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    ask("b", 20);
    await clock.advance(10);
    expect(told).toEqual(["a: request-timeout"]);
    expect(replies.take("one")).toBe(true);
    expect(replies.take("two")).toBe(true);
    expect(told).toEqual(["a: request-timeout", "b: two"]);
  });

  test("that come in time stop the clock", async () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    replies.take("one");
    expect(clock.pending).toBe(0);
    await clock.advance(10);
    expect(told).toEqual(["a: one"]);
  });

  test("are waited for without end where there is no limit", async () => {
    const { clock, told, ask } = made();
    ask("a");
    expect(clock.pending).toBe(0);
    await clock.advance(3_600_000);
    expect(told).toEqual([]);
  });

  test("that wait behind something older have their whole time once the server is free", async () => {
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

  test("that came to nothing are not told again when the server is free", async () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    await clock.advance(10);
    replies.hold(true);
    replies.hold(false);
    await clock.advance(1_000);
    expect([told, replies.due]).toEqual([["a: request-timeout"], 1]);
  });

  test("that cannot be read fail the one whose turn it is", () => {
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

  test("that will not come any more fail all, each with an error of its own, and leave no timer", () => {
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

  test("that will not come are not told to one who has given up", async () => {
    const { clock, replies, told, ask } = made();
    ask("a", 10);
    await clock.advance(10);
    replies.clear(() => new ClosedError("gone"));
    expect(told).toEqual(["a: request-timeout"]);
  });
});
