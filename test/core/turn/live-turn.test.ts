import { describe, expect, test } from "vitest";
import { keptBytes } from "../../../src/core/turn/kept-bytes.ts";
import { thrownBy, unhandledDuring } from "../support/promises.ts";
import {
  failureOf,
  IDLE,
  linkLost,
  NOTHING_LEFT,
  readAll,
  reader,
  type TestTurn,
  turnRig,
} from "../support/turns.ts";

describe("the error for a lost link", () => {
  const call = { id: "c1", name: "rm", input: {}, state: "requested", raw: null } as const;

  test.each([
    ["no call was announced", [], undefined],
    ["a call was announced", [call], true],
  ])("sets `sideEffectsPossible` only after a tool call: %s", async (_, calls, possible) => {
    const { turn } = turnRig();
    turn.sent();
    for (const each of calls) turn.tools.set(each);
    const error = linkLost();
    turn.fail(error);
    expect(error.sideEffectsPossible).toBe(possible);
    expect("sideEffectsPossible" in error).toBe(possible === true);
  });
});

describe("a turn has only one reader", () => {
  test("reading the `textStream` property does not count as a reader", async () => {
    const { turn } = turnRig();
    expect(turn.textStream).toBeDefined();
    turn.push("a", 1);
    expect(await readAll(reader(turn))).toEqual(["a", "waits"]);
  });
});

describe("a reader that leaves a turn that is being cancelled", () => {
  test.each<{ by: string; cancel: (turn: TestTurn, controller: AbortController) => void }>([
    { by: "cancel()", cancel: (turn) => void turn.cancel() },
    { by: "the signal", cancel: (_, controller) => controller.abort() },
  ])("does not count as a second `cancel()`: $by", async ({ cancel }) => {
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
])("a turn has no event $name, and the error lists the events or suggests one", ({ name, says }) => {
  const { turn } = turnRig();
  const error = thrownBy(() => turn.on(name as "event", () => {}));
  expect(error).toMatchObject({ code: "invalid-input", hint: says });
});

describe("result", () => {
  test("is the turn's result, and the same promise every time", async () => {
    const { turn } = turnRig();
    turn.complete({ text: "done" });
    expect(turn.result).toBe(turn.result);
    expect(await turn.result).toEqual({ text: "done" });
  });

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
  ])("causes no unhandled rejection if it is not awaited: $end", async ({ make }) => {
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

describe("a failure", () => {
  test("has the text and the state so far in `partial`, in the error and the outcome", async () => {
    const { turn } = turnRig({ soFar: () => ({ state: { step: 3 }, cost: undefined }) });
    turn.sent();
    turn.push("so far", 1);
    turn.fail(linkLost());
    const partial = { text: "so far", state: { step: 3 } };
    expect((await failureOf(turn)).partial).toEqual(partial);
    expect(await turn.outcome).toMatchObject({ status: "failed", partial });
  });
});

describe("the idle timeout", () => {
  test("counts from the last event, and is paused while the turn is held", async () => {
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
  ])("has no limit if it is 0: $limit", async ({ setup }) => {
    const { turn, clock } = turnRig(setup);
    if ("idleTimeout" in setup) turn.active();
    await clock.advance(1e9);
    expect([turn.status, clock.pending]).toEqual(["queued", 0]);
  });

  test("does not start when a hold ends before the server works on the turn", async () => {
    const { turn, clock } = turnRig();
    turn.sent();
    turn.hold()();
    await clock.advance(IDLE * 3);
    expect(turn.status).toBe("sent");
  });

  test("does not start after the end", async () => {
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

test("a turn that is being stopped has no timer and no listener", () => {
  const { turn, leftovers } = turnRig();
  turn.sent();
  turn.active();
  void turn.cancel();
  expect([turn.status, leftovers()]).toEqual(["cancelling", NOTHING_LEFT]);
});

describe("the limits of a turn", () => {
  test.each<{ what: string; event: string; bytes: number }>([
    { what: "many small events, by their overhead", event: "#", bytes: 1 },
    {
      what: "text with two bytes per character, by its bytes",
      event: `#${"字".repeat(1_000)}`,
      bytes: 1_003,
    },
    { what: "an event from a large frame, by the frame's bytes", event: "#", bytes: 5_000 },
  ])("`maxBufferedBytes` counts the memory of events: $what", async ({ event, bytes }) => {
    const limit = 100_000;
    const { turn } = turnRig({ maxBufferedBytes: limit });
    for (let count = 0; count < 10_000; count++) turn.push(event, bytes);
    const kept = (await readAll(reader(turn))).length - 1;
    const closely = Math.floor(limit / Math.max(bytes, keptBytes(event, limit)));
    expect(kept).toBeLessThanOrEqual(closely);
    expect(kept).toBeGreaterThanOrEqual(Math.floor((closely * 15) / 16)); // what is counted roughly
    expect(kept).toBeLessThan(limit / 64);
  });

  test("`maxBufferedBytes` does not affect a reader that keeps up", async () => {
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
    "`maxTextBytes` of $limit keeps of $pieces the text $text, truncated: $truncated, and all is streamed",
    async (row) => {
      const { turn } = turnRig({ maxTextBytes: row.limit });
      for (const piece of row.pieces) turn.push(piece, 1);
      expect([turn.text, turn.textResult.truncated ?? false]).toEqual([row.text, row.truncated]);
      expect(await readAll(reader(turn))).toEqual([...row.pieces, "waits"]);
    },
  );
});

describe("a turn with `read: false`", () => {
  test("never pauses its source", () => {
    const told: string[] = [];
    const flow = { high: 1, pause: () => void told.push("pause"), resume: () => void told.push("resume") };
    const { turn } = turnRig({ read: false, flow });
    for (let count = 0; count < 100; count++) turn.push("x", 100);
    thrownBy(() => reader(turn));
    turn.push("x", 100);
    expect(told).toEqual([]);
  });
});
