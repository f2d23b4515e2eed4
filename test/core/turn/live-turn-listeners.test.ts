import { describe, expect, test } from "vitest";
import type { PendingRequest, TurnToolCall } from "../../../src/core/values.ts";
import { question, toolCall } from "../support/gate.ts";
import { settle } from "../support/promises.ts";
import { NOTHING_LEFT, outcomeOf, type TestTurn, turnRig } from "../support/turns.ts";

const approval = (id: string): PendingRequest => ({ type: "approval", id, call: toolCall({ id }) });
const asked = (id: string): PendingRequest => ({ type: "question", id, question: question({ id }) });

/** The ids of what a listener is told, as it is told. */
function hear(
  turn: TestTurn,
  name: "approval" | "question",
  react: (id: string) => void = () => {},
): string[] {
  const heard: string[] = [];
  turn.on(name, ({ id }) => {
    heard.push(id);
    react(id);
  });
  return heard;
}

describe("a late status listener", () => {
  test.each<{ how: string; leave: (off: () => void, controller: AbortController) => void }>([
    { how: "called off", leave: (off) => off() },
    { how: "aborted", leave: (_, controller) => controller.abort() },
  ])("gets nothing if it was $how before the first notification", async ({ leave }) => {
    const { turn } = turnRig();
    const controller = new AbortController();
    const statuses: string[] = [];
    const off = turn.on("status", (status) => statuses.push(status), { signal: controller.signal });
    leave(off, controller);
    await settle();
    expect(statuses).toEqual([]);
  });

  test("gets nothing if its signal was already aborted", async () => {
    const { turn } = turnRig();
    const statuses: string[] = [];
    turn.on("status", (status) => statuses.push(status), { signal: AbortSignal.abort() });
    turn.sent();
    await settle();
    expect(statuses).toEqual([]);
  });

  test("that throws on its first notification is reported", async () => {
    const { turn, told } = turnRig();
    const error = new Error("mine");
    turn.on("status", () => {
      throw error;
    });
    await settle();
    expect(told.thrown).toEqual([[error, "status"]]);
  });
});

describe("a listener that cancels the turn", () => {
  test("on `sent` leaves no timer and no listener", async () => {
    const { turn, told, leftovers } = turnRig();
    turn.on("status", (status) => status === "sent" && void turn.cancel());
    turn.sent();
    turn.active();
    turn.stopped();
    expect([await outcomeOf(turn), told.stops, leftovers()]).toEqual(["cancelled by user", 1, NOTHING_LEFT]);
  });

  test("on `streaming` leaves no timer", async () => {
    const { turn, leftovers } = turnRig({ stop: () => turn.stopped() });
    turn.on("status", (status) => status === "streaming" && void turn.cancel());
    turn.sent();
    turn.push("a", 1);
    expect([await outcomeOf(turn), leftovers()]).toEqual(["cancelled by user", NOTHING_LEFT]);
  });

  test("cannot stop a turn that the same frame completed: its events and end are delivered", async () => {
    const { turn, told, frame } = turnRig();
    turn.on("status", (status) => status === "streaming" && void turn.cancel());
    frame(() => {
      turn.push("a", 1);
      turn.complete({ text: "a" });
    });
    expect([told.events, told.statuses, await outcomeOf(turn)]).toEqual([
      ["a"],
      ["streaming", "completed"],
      "completed",
    ]);
  });
});

describe("a request to the user", () => {
  test("reaches the listeners of its kind, with the call or the question", () => {
    const { turn } = turnRig();
    const told: unknown[] = [];
    turn.on("approval", (call) => told.push(call));
    turn.on("question", (about) => told.push(about));
    turn.opened(approval("a"));
    turn.opened(asked("b"));
    expect(told).toEqual([toolCall({ id: "a" }), question({ id: "b" })]);
    expect(turn.pending).toEqual([approval("a"), asked("b")]);
  });

  test("reaches a late listener asynchronously, oldest first, once", async () => {
    const { turn } = turnRig();
    for (const request of [approval("a"), asked("b"), approval("c")]) turn.opened(request);
    const approvals = hear(turn, "approval");
    const questions = hear(turn, "question");
    expect([approvals, questions]).toEqual([[], []]);
    await settle();
    expect([approvals, questions]).toEqual([["a", "c"], ["b"]]);
    turn.opened(approval("d"));
    await settle();
    expect([approvals, questions]).toEqual([["a", "c", "d"], ["b"]]);
  });

  test("that opens before a late listener's first notification reaches it once", async () => {
    const { turn } = turnRig();
    turn.opened(approval("a"));
    const heard = hear(turn, "approval");
    turn.opened(approval("b"));
    await settle();
    expect([...heard].sort()).toEqual(["a", "b"]);
  });

  test("that is decided before a late listener's first notification is left out", async () => {
    const { turn } = turnRig();
    turn.opened(approval("a"));
    turn.opened(approval("b"));
    const heard = hear(turn, "approval");
    turn.closed("a");
    await settle();
    expect(heard).toEqual(["b"]);
  });

  test("that a late listener decides while notified of an earlier one is left out", async () => {
    const { turn } = turnRig();
    for (const id of ["a", "b", "c"]) turn.opened(approval(id));
    const heard = hear(turn, "approval", (id) => id === "a" && turn.closed("b"));
    await settle();
    expect(heard).toEqual(["a", "c"]);
  });

  test.each<{ how: string; leave: (off: () => void, controller: AbortController) => void }>([
    { how: "called off", leave: (off) => off() },
    { how: "aborted", leave: (_, controller) => controller.abort() },
  ])("does not reach a late listener that is $how while notified of an earlier one", async ({ leave }) => {
    const { turn } = turnRig();
    turn.opened(approval("a"));
    turn.opened(approval("b"));
    const controller = new AbortController();
    const heard: string[] = [];
    const listener = ({ id }: { readonly id: string }): void => {
      heard.push(id);
      leave(off, controller);
    };
    const off = turn.on("approval", listener, { signal: controller.signal });
    await settle();
    expect(heard).toEqual(["a"]);
  });

  test("reaches a late listener that threw at an earlier one, and both errors are reported", async () => {
    const { turn, told } = turnRig();
    const error = new Error("mine");
    turn.opened(approval("a"));
    turn.opened(approval("b"));
    const heard = hear(turn, "approval", () => {
      throw error;
    });
    await settle();
    expect([heard, told.thrown]).toEqual([
      ["a", "b"],
      [
        [error, "approval"],
        [error, "approval"],
      ],
    ]);
  });

  test("does not reach listeners after the one that decided it", () => {
    const { turn } = turnRig();
    const first = hear(turn, "approval", (id) => turn.closed(id));
    const second = hear(turn, "approval");
    const third = hear(turn, "question", (id) => turn.closed(id));
    const fourth = hear(turn, "question");
    turn.opened(approval("a"));
    turn.opened(asked("b"));
    expect([first, second, third, fourth]).toEqual([["a"], [], ["b"], []]);
  });

  test("that is still open after its turn ended reaches a late listener", async () => {
    const { turn } = turnRig();
    turn.opened(approval("a"));
    turn.complete({ text: "" });
    const heard = hear(turn, "approval");
    await settle();
    expect(heard).toEqual(["a"]);
  });
});

describe("listeners for tool calls", () => {
  const callOf = (state: TurnToolCall["state"]): TurnToolCall => ({ ...toolCall(), state });

  test("get each change with the call's new state; a late listener reads `toolCalls`", async () => {
    const { turn } = turnRig();
    const heard: TurnToolCall[] = [];
    turn.on("toolCall", (call) => heard.push(call));
    turn.tools.set(callOf("requested"));
    turn.tools.set(callOf("running"));
    const late: unknown[] = [];
    turn.on("toolCall", (call) => late.push(call));
    await settle();
    expect([heard, late, turn.toolCalls]).toEqual([
      [callOf("requested"), callOf("running")],
      [],
      [callOf("running")],
    ]);
  });

  test("get each change in order, also after a listener that decides", () => {
    const { turn } = turnRig();
    const first: string[] = [];
    const second: string[] = [];
    turn.on("toolCall", ({ state }) => {
      first.push(state);
      if (state === "awaiting") turn.tools.set(callOf("denied"));
    });
    turn.on("toolCall", ({ state }) => void second.push(state));
    turn.tools.set(callOf("requested"));
    turn.tools.set(callOf("awaiting"));
    expect([first, second]).toEqual([
      ["requested", "awaiting", "denied"],
      ["requested", "awaiting", "denied"],
    ]);
  });

  test("find all calls abandoned at the first notification, when the turn abandons them", () => {
    const { turn, frame } = turnRig();
    const told: string[] = [];
    turn.tools.set({ ...callOf("running"), id: "a" });
    turn.tools.set({ ...callOf("awaiting"), id: "b" });
    turn.on("toolCall", ({ id, state }) =>
      told.push(`${id} ${state}: ${turn.toolCalls.map((call) => call.state)}`),
    );
    frame(() => turn.tools.abandon());
    expect(told).toEqual(["a abandoned: abandoned,abandoned", "b abandoned: abandoned,abandoned"]);
  });
});
