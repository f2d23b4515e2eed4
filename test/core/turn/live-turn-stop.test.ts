import { describe, expect, test } from "vitest";
import { PayloadTooLargeError } from "../../../src/core/errors.ts";
import type { TurnToolCall } from "../../../src/core/values.ts";
import { toolCall } from "../support/gate.ts";
import { fateOf, unhandledDuring } from "../support/promises.ts";
import {
  failureOf,
  linkLost,
  NOTHING_LEFT,
  outcomeOf,
  readAll,
  reader,
  type TestTurn,
  TOTAL,
  turnRig,
} from "../support/turns.ts";

const tooLarge = () => new PayloadTooLargeError("the answer is too large", { bytes: 2, limit: 1 });

const running: TurnToolCall = { ...toolCall(), state: "running" };

describe("a turn that is stopped with an error", () => {
  test("ends its reader with the error after the buffered events, and fails once it has stopped", async () => {
    const { turn, told, leftovers } = turnRig();
    const iterator = reader(turn);
    const error = tooLarge();
    turn.sent();
    turn.push("a", 1);
    turn.stopWith(error);
    expect([turn.status, told.stops, await outcomeOf(turn)]).toEqual(["cancelling", 1, "pending"]);
    expect(await readAll(iterator)).toEqual(["a", "throws payload-too-large"]);
    expect(await readAll(iterator)).toEqual(["ends"]);
    turn.stopped();
    expect([await failureOf(turn), leftovers()]).toEqual([error, NOTHING_LEFT]);
    expect(await failureOf(turn)).toBe(error);
    expect(await fateOf(turn.result)).toEqual({ state: "rejected", error });
    expect([told.settled, told.statuses]).toEqual([1, ["sent", "streaming", "cancelling", "failed"]]);
  });

  test("accepts no more events, and clears its timers at once", () => {
    const { turn, told, leftovers } = turnRig();
    turn.active();
    turn.stopWith(tooLarge());
    turn.push("late", 1);
    expect([turn.text, told.events, leftovers()]).toEqual(["", [], NOTHING_LEFT]);
  });

  test.each([
    { sent: true, says: { delivery: "unknown" } },
    { sent: false, says: { delivery: "not-sent", input: "the input" } },
  ])("sets `delivery` on the error: sent $sent", ({ sent, says }) => {
    const { turn } = turnRig();
    const error = tooLarge();
    if (sent) turn.sent();
    turn.stopWith(error);
    expect({ ...error }).toMatchObject(says);
    expect("input" in error).toBe(!sent);
  });

  test.each<{ first: string; stop: (turn: TestTurn) => void; becomes: string; stops: number }>([
    { first: "cancelled", stop: (turn) => void turn.cancel(), becomes: "cancelled by user", stops: 1 },
    {
      first: "stopped",
      stop: (turn) => turn.stopWith(linkLost()),
      becomes: "failed connection-lost",
      stops: 1,
    },
    { first: "completed", stop: (turn) => turn.complete({ text: "" }), becomes: "completed", stops: 0 },
    { first: "failed", stop: (turn) => turn.fail(linkLost()), becomes: "failed connection-lost", stops: 0 },
  ])("keeps the earlier end if it was $first before", async ({ stop, becomes, stops }) => {
    const { turn, told } = turnRig();
    stop(turn);
    turn.stopWith(tooLarge());
    turn.stopped();
    expect([await outcomeOf(turn), told.stops, told.settled]).toEqual([becomes, stops, 1]);
  });

  test("cannot be cancelled by a status listener", async () => {
    const { turn, told } = turnRig({ stop: () => turn.stopped() });
    turn.on("status", (status) => status === "cancelling" && void turn.cancel());
    turn.stopWith(tooLarge());
    expect([await outcomeOf(turn), told.settled]).toEqual(["failed payload-too-large", 1]);
  });

  test("causes no unhandled rejection", async () => {
    const { turn } = turnRig();
    const unhandled = await unhandledDuring(() => {
      turn.stopWith(tooLarge());
      turn.stopped();
      void turn.result;
    });
    expect(unhandled).toEqual([]);
  });
});

describe("the tool calls of a turn without a result", () => {
  test.each<{ how: string; end: (turn: TestTurn, controller: AbortController) => void }>([
    { how: "cancelled", end: (turn) => void turn.cancel() },
    { how: "aborted", end: (_, controller) => controller.abort() },
    { how: "failed", end: (turn) => turn.fail(linkLost()) },
    { how: "abandoned", end: (turn) => turn.abandon(linkLost()) },
    { how: "stopped", end: (turn) => turn.stopWith(tooLarge()) },
  ])("are in `partial` if the turn was $how", async ({ end }) => {
    const { turn, controller } = turnRig();
    turn.tools.set(running);
    end(turn, controller);
    turn.stopped();
    expect(await turn.outcome).toMatchObject({ partial: { text: "", toolCalls: [running] } });
  });

  test("are left out of `partial` if there were none", async () => {
    const { turn } = turnRig();
    turn.fail(linkLost());
    expect((await failureOf(turn)).partial).toEqual({ text: "" });
  });

  test("in `partial` do not change after the end", async () => {
    const { turn } = turnRig();
    turn.tools.set(running);
    turn.fail(linkLost());
    turn.tools.set({ ...running, state: "done" });
    expect((await failureOf(turn)).partial).toEqual({ text: "", toolCalls: [running] });
    expect(turn.toolCalls).toEqual([{ ...running, state: "done" }]);
  });

  test.each<{ how: string; stop: (rig: ReturnType<typeof turnRig>) => unknown }>([
    { how: "cancelled", stop: ({ turn }) => void turn.cancel() },
    { how: "too late", stop: ({ clock }) => clock.advance(TOTAL) },
    { how: "stopped with an error", stop: ({ turn }) => turn.stopWith(tooLarge()) },
  ])("are in the error and the outcome as they were when the turn stopped: $how", async ({ stop }) => {
    let endedBy: string | undefined;
    const made = turnRig({ soFar: () => ({ endedBy }) });
    const { turn } = made;
    turn.tools.set(running);
    await stop(made);
    turn.tools.abandon();
    endedBy = "the server's last word";
    turn.stopped();
    const partial = { text: "", toolCalls: [{ ...running, state: "abandoned" }], endedBy };
    expect(await turn.outcome).toMatchObject({ partial });
    expect(await fateOf(turn.result)).toMatchObject({ state: "rejected", error: { partial } });
  });
});
