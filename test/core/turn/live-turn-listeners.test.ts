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

describe("a status listener that comes late", () => {
  test.each<{ how: string; leave: (off: () => void, controller: AbortController) => void }>([
    { how: "called off", leave: (off) => off() },
    { how: "aborted", leave: (_, controller) => controller.abort() },
  ])("is told nothing when it was $how in that moment", async ({ leave }) => {
    const { turn } = turnRig();
    const controller = new AbortController();
    const statuses: string[] = [];
    const off = turn.on("status", (status) => statuses.push(status), { signal: controller.signal });
    leave(off, controller);
    await settle();
    expect(statuses).toEqual([]);
  });

  test("is told nothing when its signal was aborted before", async () => {
    const { turn } = turnRig();
    const statuses: string[] = [];
    turn.on("status", (status) => statuses.push(status), { signal: AbortSignal.abort() });
    turn.sent();
    await settle();
    expect(statuses).toEqual([]);
  });

  test("that throws at the present is reported", async () => {
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
  test("on `sent` leaves nothing", async () => {
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

  test("comes too late for a turn that the same frame has completed: its events and its end are told", async () => {
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

describe("what waits for the user", () => {
  test("is told to the listeners of its kind, with the call or question itself", () => {
    const { turn } = turnRig();
    const told: unknown[] = [];
    turn.on("approval", (call) => told.push(call));
    turn.on("question", (about) => told.push(about));
    turn.opened(approval("a"));
    turn.opened(asked("b"));
    expect(told).toEqual([toolCall({ id: "a" }), question({ id: "b" })]);
    expect(turn.pending).toEqual([approval("a"), asked("b")]);
  });

  test("is told to a listener that comes late, a moment later, oldest first, once", async () => {
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

  test("and is opened in that moment is told once, too", async () => {
    const { turn } = turnRig();
    turn.opened(approval("a"));
    const heard = hear(turn, "approval");
    turn.opened(approval("b"));
    await settle();
    expect([...heard].sort()).toEqual(["a", "b"]);
  });

  test("and is decided in that moment is not told", async () => {
    const { turn } = turnRig();
    turn.opened(approval("a"));
    turn.opened(approval("b"));
    const heard = hear(turn, "approval");
    turn.closed("a");
    await settle();
    expect(heard).toEqual(["b"]);
  });

  test("is not told once the late listener itself has decided it, told of the one before", async () => {
    const { turn } = turnRig();
    for (const id of ["a", "b", "c"]) turn.opened(approval(id));
    const heard = hear(turn, "approval", (id) => id === "a" && turn.closed("b"));
    await settle();
    expect(heard).toEqual(["a", "c"]);
  });

  test.each<{ how: string; leave: (off: () => void, controller: AbortController) => void }>([
    { how: "called off", leave: (off) => off() },
    { how: "aborted", leave: (_, controller) => controller.abort() },
  ])("is not told any more to a late listener that is $how, told of the one before", async ({ leave }) => {
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

  test("a late listener that throws at one is told the next, and is reported", async () => {
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

  test("is not told to listeners behind the one that decided it", () => {
    const { turn } = turnRig();
    const first = hear(turn, "approval", (id) => turn.closed(id));
    const second = hear(turn, "approval");
    const third = hear(turn, "question", (id) => turn.closed(id));
    const fourth = hear(turn, "question");
    turn.opened(approval("a"));
    turn.opened(asked("b"));
    expect([first, second, third, fourth]).toEqual([["a"], [], ["b"], []]);
  });

  test("is told late to a turn that is over, as long as it is open: agents go on behind an answer", async () => {
    const { turn } = turnRig();
    turn.opened(approval("a"));
    turn.complete({ text: "" });
    const heard = hear(turn, "approval");
    await settle();
    expect(heard).toEqual(["a"]);
  });
});

describe("listeners to tool calls", () => {
  const callOf = (state: TurnToolCall["state"]): TurnToolCall => ({ ...toolCall(), state });

  test("are told of each change with the call as it is now; late ones read `toolCalls`", async () => {
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

  test("are told each change in order, also behind one that decides", () => {
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

  test("find all calls abandoned when they are told of the first: who is told of one cannot bring back another", () => {
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
