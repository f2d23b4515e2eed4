import { describe, expect, test, vi } from "vitest";
import { InvalidInputError, TurnCancelledError } from "../../../src/core/errors.ts";
import { EventBuffer } from "../../../src/core/turn/event-buffer.ts";
import { keptBytes } from "../../../src/core/turn/kept-bytes.ts";
import { fateOf, thrownBy, unhandledDuring, wordOf } from "../support/promises.ts";
import {
  failureOf,
  IDLE,
  linkLost,
  NOTHING_LEFT,
  outcomeOf,
  readAll,
  reader,
  type TestTurn,
  TOTAL,
  turnRig,
} from "../support/turns.ts";

describe("a reader that waits", () => {
  test.each<{ what: string; end: (turn: TestTurn, controller: AbortController) => void; reads: string }>([
    { what: "an event", end: (turn) => turn.push("a", 1), reads: "a" },
    { what: "the end", end: (turn) => turn.complete({ text: "" }), reads: "ends" },
    { what: "a failure", end: (turn) => turn.fail(linkLost()), reads: "throws connection-lost" },
    { what: "cancel()", end: (turn) => void turn.cancel(), reads: "ends" },
    { what: "the signal", end: (_, controller) => controller.abort(), reads: "throws turn-cancelled" },
  ])("is told of $what at once, before the outcome is known", async ({ end, reads }) => {
    const { turn, controller } = turnRig();
    const waiting = readAll(reader(turn));
    end(turn, controller);
    expect((await waiting)[0]).toBe(reads);
  });
});

describe("a lost link", () => {
  const call = { id: "c1", name: "rm", input: {}, state: "requested", raw: null } as const;

  test.each([
    ["no call was announced", [], undefined],
    ["a call was announced", [call], true],
  ])("tells of possible side effects only where they are: %s", async (_, calls, possible) => {
    const { turn } = turnRig();
    turn.sent();
    for (const each of calls) turn.tools.set(each);
    const error = linkLost();
    turn.fail(error);
    expect(error.sideEffectsPossible).toBe(possible);
    expect("sideEffectsPossible" in error).toBe(possible === true);
  });
});

describe("a turn has one reader", () => {
  const iterate = { name: "the async iterator", start: (turn: TestTurn) => reader(turn) };
  const stream = { name: "textStream", start: (turn: TestTurn) => reader(turn.textStream) };

  test.each([
    { first: iterate, second: iterate },
    { first: iterate, second: stream },
    { first: stream, second: iterate },
    { first: stream, second: stream },
  ])("$second.name after $first.name is refused and names the first", async ({ first, second }) => {
    const { turn } = turnRig();
    turn.push("a", 1);
    const iterator = first.start(turn);
    const error = thrownBy(() => second.start(turn));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ code: "already-consumed", hint: expect.stringContaining("turn.on(") });
    expect(String(error)).toContain(`through ${first.name}`);
    expect(await readAll(iterator)).toEqual(["a", "waits"]);
  });

  test("asking for textStream without iterating it takes no place", async () => {
    const { turn } = turnRig();
    expect(turn.textStream).toBeDefined();
    turn.push("a", 1);
    expect(await readAll(reader(turn))).toEqual(["a", "waits"]);
  });

  test("a turn that nobody reads still settles, with its whole text", async () => {
    const { turn, leftovers } = turnRig();
    for (const event of ["a", "#tool", "b"]) turn.push(event, 1);
    turn.complete({ text: turn.text });
    expect([await turn.result, leftovers()]).toEqual([{ text: "ab" }, NOTHING_LEFT]);
  });
});

describe("a reader who leaves a turn that is being cancelled", () => {
  test.each<{ by: string; cancel: (turn: TestTurn, controller: AbortController) => void }>([
    { by: "cancel()", cancel: (turn) => void turn.cancel() },
    { by: "the signal", cancel: (_, controller) => controller.abort() },
  ])("does not insist on it as a second cancel() does: $by", async ({ cancel }) => {
    let insisted = 0;
    const { turn, controller } = turnRig({ stop: (again) => void (again && insisted++) });
    const events = reader(turn);
    for (const event of ["a", "b"]) turn.push(event, 1);
    await events.next();
    cancel(turn, controller);
    await events.return?.();
    expect([insisted, await readAll(events)]).toEqual([0, ["ends"]]);
    void turn.cancel();
    expect(insisted).toBe(1);
  });
});

test.each([
  { name: "text", says: "These exist: event, toolCall, status, approval, question, end." },
  { name: "", says: "These exist: event, toolCall, status, approval, question, end." },
  { name: "toString", says: "These exist: event, toolCall, status, approval, question, end." },
  { name: "toolcall", says: "Did you mean `toolCall`?" },
])("there is no event $name of a turn, and it says which there are, or which was meant", ({ name, says }) => {
  const { turn } = turnRig();
  const error = thrownBy(() => turn.on(name as "event", () => {}));
  expect(error).toMatchObject({ code: "invalid-input", hint: says });
});

describe("result", () => {
  test("is what the turn completed with, and the same promise every time", async () => {
    const { turn } = turnRig();
    turn.complete({ text: "done" });
    expect(turn.result).toBe(turn.result);
    expect(await turn.result).toEqual({ text: "done" });
  });

  test("of a failed turn rejects with the very error that the loop is thrown", async () => {
    const { turn } = turnRig();
    const error = linkLost();
    turn.fail(error);
    expect(await fateOf(turn.result)).toEqual({ state: "rejected", error });
    expect(await fateOf(reader(turn).next())).toEqual({ state: "rejected", error });
  });

  test.each<{ how: string; by: "user" | "signal" }>([
    { how: "cancel()", by: "user" },
    { how: "the signal", by: "signal" },
  ])(
    "of a turn cancelled by $how rejects, with its reason as the cause, once it is safe to go on",
    async ({ by }) => {
      const { turn, controller } = turnRig();
      turn.sent();
      turn.push("so far", 1);
      if (by === "user") void turn.cancel("enough");
      else controller.abort("enough");
      expect(await wordOf(turn.result)).toBe("pending");
      turn.stopped();
      const fate = await fateOf(turn.result);
      expect(fate).toMatchObject({
        state: "rejected",
        error: { by, cause: "enough", partial: { text: "so far" } },
      });
      expect(fate.state === "rejected" && fate.error).toBeInstanceOf(TurnCancelledError);
    },
  );

  test.each<{ end: string; make: (turn: TestTurn) => void }>([
    { end: "fail", make: (turn) => turn.fail(linkLost()) },
    { end: "abandon", make: (turn) => turn.abandon(linkLost()) },
    {
      end: "cancel",
      make: (turn) => {
        void turn.cancel();
        turn.stopped();
      },
    },
  ])("ignoring it, or asking for it and ignoring it, is no unhandled rejection: $end", async ({ make }) => {
    const [untouched, asked, late] = [turnRig().turn, turnRig().turn, turnRig().turn];
    const unhandled = await unhandledDuring(() => {
      void asked.result;
      make(untouched);
      make(asked);
      make(late);
      void late.result;
    });
    expect(unhandled).toEqual([]);
  });
});

describe("what a failure tells", () => {
  test("the text and the state so far, on the error and on the outcome", async () => {
    const { turn } = turnRig({ soFar: () => ({ state: { step: 3 }, cost: undefined }) });
    turn.sent();
    turn.push("so far", 1);
    turn.fail(linkLost());
    const partial = { text: "so far", state: { step: 3 } };
    expect((await failureOf(turn)).partial).toEqual(partial);
    expect(await turn.outcome).toMatchObject({ status: "failed", partial });
  });

  test("that a prompt that was never sent was not, and gives its input back", async () => {
    const { turn } = turnRig();
    turn.fail(linkLost());
    expect(await failureOf(turn)).toMatchObject({ delivery: "not-sent", input: "the input" });
  });

  test("nothing of the kind once it was sent", async () => {
    const { turn } = turnRig();
    turn.sent();
    turn.fail(linkLost());
    const error = await failureOf(turn);
    expect([error.delivery, "input" in error]).toEqual([undefined, false]);
  });

  test.each<{ sent: boolean; delivery: string; input: string | undefined }>([
    { sent: false, delivery: "not-sent", input: "the input" },
    { sent: true, delivery: "unknown", input: undefined },
  ])("a time-out and a cancellation, when sent is $sent, say that delivery is $delivery", async (row) => {
    for (const stop of ["timeout", "signal"]) {
      const { turn, clock, controller } = turnRig();
      if (row.sent) turn.sent();
      if (stop === "timeout") await clock.advance(TOTAL);
      else controller.abort();
      const fate = await fateOf(reader(turn).next());
      expect(fate).toMatchObject({ state: "rejected", error: { delivery: row.delivery } });
      expect(fate.state === "rejected" && (fate.error as { input?: unknown }).input).toBe(row.input);
    }
  });
});

describe("the idle limit", () => {
  test("counts from the last event, and stands still while this machine has something to do for the turn", async () => {
    const { turn, clock } = turnRig();
    turn.sent();
    turn.push("a", 1);
    await clock.advance(IDLE - 1);
    turn.push("b", 1);
    await clock.advance(IDLE - 1);
    const [release, releaseOther] = [turn.hold(), turn.hold()];
    await clock.advance(IDLE * 3);
    release();
    release(); // counts once
    turn.push("c", 1); // what comes meanwhile does not start it
    await clock.advance(IDLE * 3);
    expect(turn.status).toBe("streaming");
    releaseOther();
    await clock.advance(IDLE - 1);
    expect(turn.status).toBe("streaming");
    await clock.advance(1);
    expect(await failureAfterStop(turn)).toMatchObject({ kind: "idle", timeout: IDLE });
  });

  test.each([
    { limit: "idleTimeout", setup: { idleTimeout: 0, timeout: 0 } },
    { limit: "timeout", setup: { timeout: 0 } },
  ])("0 is no limit: $limit", async ({ setup }) => {
    const { turn, clock } = turnRig(setup);
    if ("idleTimeout" in setup) turn.active();
    await clock.advance(1e9);
    expect([turn.status, clock.pending]).toEqual(["queued", 0]);
  });

  test("is not started by the end of a hold on a turn that the server does not work on yet", async () => {
    const { turn, clock } = turnRig();
    turn.sent();
    turn.hold()();
    await clock.advance(IDLE * 3);
    expect(turn.status).toBe("sent");
  });

  test("activity after the end starts no timer", async () => {
    const { turn, leftovers } = turnRig();
    turn.complete({ text: "" });
    turn.active();
    turn.push("late", 1);
    turn.hold()();
    expect(leftovers()).toEqual(NOTHING_LEFT);
  });
});

async function failureAfterStop(turn: TestTurn) {
  turn.stopped();
  return failureOf(turn);
}

test("a turn that is being stopped has no timer and no listener any more, however long that takes", () => {
  const { turn, leftovers } = turnRig();
  turn.sent();
  turn.active();
  void turn.cancel();
  expect([turn.status, leftovers()]).toEqual(["cancelling", NOTHING_LEFT]);
});

describe("a signal that was aborted before", () => {
  test("ends the turn as soon as it begins, and leaves nothing", async () => {
    const { turn, told, clock } = turnRig({ signal: AbortSignal.abort("early") });
    expect(turn.status).toBe("queued");
    turn.begin();
    expect([turn.status, told.stops]).toEqual(["cancelling", 1]);
    turn.stopped();
    expect([await outcomeOf(turn), clock.pending]).toEqual(["cancelled by signal", 0]);
  });

  test("one that was not leaves the turn alone", () => {
    const { turn } = turnRig();
    turn.begin();
    expect(turn.status).toBe("queued");
  });
});

describe("past its limits", () => {
  test("of buffered bytes only the iteration ends: the turn, its listeners and its result go on", async () => {
    const { turn, told } = turnRig({ maxBufferedBytes: 3 * keptBytes("a", 1_000) });
    for (const event of ["a", "b", "c", "d", "e"]) turn.push(event, 1);
    expect(turn.status).toBe("streaming");
    const iterator = reader(turn);
    expect(await readAll(iterator)).toEqual(["a", "b", "c", "throws buffer-overflow"]);
    turn.push("f", 1);
    turn.complete({ text: turn.text });
    expect(await readAll(iterator)).toEqual(["ends"]);
    expect([await turn.result, told.events.length]).toEqual([{ text: "abcdef" }, 6]);
  });

  test.each<{ what: string; event: string; bytes: number }>([
    { what: "many events of one letter, not their letters", event: "#", bytes: 1 },
    {
      what: "text of two bytes a character, not its characters",
      event: `#${"字".repeat(1_000)}`,
      bytes: 1_003,
    },
    { what: "what cannot be looked into by what it came in", event: "#", bytes: 5_000 },
  ])("the bytes that are kept count: $what", async ({ event, bytes }) => {
    const limit = 100_000;
    const { turn } = turnRig({ maxBufferedBytes: limit });
    for (let count = 0; count < 10_000; count++) turn.push(event, bytes);
    const kept = (await readAll(reader(turn))).length - 1;
    const closely = Math.floor(limit / Math.max(bytes, keptBytes(event, limit)));
    expect(kept).toBeLessThanOrEqual(closely);
    expect(kept).toBeGreaterThanOrEqual(Math.floor((closely * 15) / 16)); // what is counted roughly
    expect(kept).toBeLessThan(limit / 64);
  });

  test("a reader that keeps up never meets it", async () => {
    const { turn } = turnRig({ maxBufferedBytes: keptBytes("abc", 1_000) });
    const iterator = reader(turn);
    for (let count = 0; count < 20; count++) {
      turn.push("abc", 3);
      expect(await iterator.next()).toEqual({ done: false, value: "abc" });
    }
  });

  test.each<{ limit: number; pieces: readonly string[]; text: string; truncated: boolean }>([
    { limit: 6, pieces: ["abc", "def"], text: "abcdef", truncated: false },
    { limit: 5, pieces: ["abc", "def"], text: "abcde", truncated: true },
    { limit: 5, pieces: ["abc", "def", "g"], text: "abcde", truncated: true },
    { limit: 4, pieces: ["é", "é"], text: "éé", truncated: false },
    { limit: 3, pieces: ["é", "é"], text: "é", truncated: true },
    { limit: 4, pieces: ["🙂"], text: "🙂", truncated: false },
    { limit: 3, pieces: ["🙂"], text: "", truncated: true },
    { limit: 1_000, pieces: ["abc"], text: "abc", truncated: false },
  ])(
    "of $limit bytes of text, $pieces leave $text, truncated: $truncated, and all is streamed",
    async (row) => {
      const { turn } = turnRig({ maxTextBytes: row.limit });
      for (const piece of row.pieces) turn.push(piece, 1);
      expect([turn.text, turn.textResult.truncated ?? false]).toEqual([row.text, row.truncated]);
      expect(await readAll(reader(turn))).toEqual([...row.pieces, "waits"]);
    },
  );
});

test("ten thousand turns on one signal leave no listener on it", async () => {
  const shared = turnRig();
  for (let count = 0; count < 10_000; count++) {
    const { turn } = turnRig({ signal: shared.controller.signal });
    turn.complete({ text: "" });
  }
  expect(shared.leftovers().signalListeners).toBe(1); // its own
});

describe("made with `read: false`", () => {
  test("it keeps nothing unread, tells everything, and ends as it would", async () => {
    using kept = vi.spyOn(EventBuffer.prototype, "push");
    const { turn, told } = turnRig({ read: false, maxBufferedBytes: 1 });
    for (const event of ["a", "b", "c"]) turn.push(event, 1);
    expect([kept.mock.calls.length, told.events, turn.text]).toEqual([0, ["a", "b", "c"], "abc"]);
    turn.complete({ text: turn.text });
    expect(await outcomeOf(turn)).toBe("completed");
  });

  test("it is not to be iterated, and says what works instead", () => {
    const { turn } = turnRig({ read: false });
    for (const iterate of [() => reader(turn), () => reader(turn.textStream)])
      expect(thrownBy(iterate)).toMatchObject({
        code: "already-consumed",
        message: expect.stringMatching(/`read: false`.*turn\.on/),
      });
  });

  test("what it comes from is never paused", () => {
    const told: string[] = [];
    const flow = { high: 1, pause: () => void told.push("pause"), resume: () => void told.push("resume") };
    const { turn } = turnRig({ read: false, flow });
    for (let count = 0; count < 100; count++) turn.push("x", 100);
    thrownBy(() => reader(turn));
    turn.push("x", 100);
    expect(told).toEqual([]);
  });
});
