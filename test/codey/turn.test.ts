import { describe, expect, test } from "vitest";
import type { WireCall } from "../../src/codey/calls.ts";
import type { TurnMessage } from "../../src/codey/messages.ts";
import {
  decide,
  MAX_RETRIES,
  newTurnState,
  roundsOf,
  stepTurn,
  stepUnreadable,
  type TurnState,
  type TurnStep,
  textOfEvent,
} from "../../src/codey/turn.ts";
import type { Ruling } from "../../src/core/values.ts";
import { say } from "../helpers/codey-fake.ts";

const LONG = 1_000_000;

/** Gives each call an id of its own, as a client's gate does. */
function ids(): (callId: string) => string {
  const uses = new Map<string, number>();
  return (callId) => {
    const use = (uses.get(callId) ?? 0) + 1;
    uses.set(callId, use);
    return use === 1 ? callId : `${callId}~${use}`;
  };
}

function newState(idFor: (callId: string) => string = ids()): TurnState {
  return newTurnState(idFor, LONG);
}

/** The state after these messages, and the steps to it. */
function played(...messages: readonly TurnMessage[]): {
  readonly state: TurnState;
  readonly steps: readonly TurnStep[];
  readonly last: TurnStep | undefined;
} {
  const state = newState();
  const steps = messages.map((message) => stepTurn(state, message));
  return { state, steps, last: steps.at(-1) };
}

describe("rounds", () => {
  test("text and thinking are collected per round, and a round ends with its calls", () => {
    const { state } = played(
      say.thinking("hm "),
      say.text("one "),
      say.text("two"),
      say.request(["c1", "c2"]),
      say.text("three"),
    );
    expect(roundsOf(state)).toEqual([
      { text: "one two", thinking: "hm ", calls: ["c1", "c2"] },
      { text: "three", thinking: "", calls: [] },
    ]);
  });

  test("a round without text or thinking counts as a round", () => {
    const { state } = played(
      say.request(["c1"]),
      say.started("c1"),
      say.completed("c1"),
      say.request(["c2"]),
      say.request(["c3"]),
    );
    expect(roundsOf(state).map(({ calls }) => calls)).toEqual([["c1"], ["c2"], ["c3"]]);
  });

  test("a request that repeats an id begins a round with a new call", () => {
    const { state, last } = played(say.request(["c1"]), say.request(["c1"]));
    expect(roundsOf(state).map(({ calls }) => calls)).toEqual([["c1"], ["c1~2"]]);
    expect(last).toMatchObject({ changed: [{ id: "c1~2" }], event: { type: "ToolRequest" } });
  });

  test("an empty request ends no round", () => {
    const { state } = played(say.text("a"), say.request([]), say.text("b"));
    expect(roundsOf(state)).toEqual([{ text: "ab", thinking: "", calls: [] }]);
  });

  test("a call without a tool request belongs to the current round", () => {
    const { state } = played(say.text("a"), say.asks("c1"));
    expect(roundsOf(state)).toEqual([{ text: "a", thinking: "", calls: ["c1"] }]);
    expect(roundsOf(played(say.asks("c1")).state)).toEqual([{ text: "", thinking: "", calls: ["c1"] }]);
  });

  test("a text over the limit is cut off in its round, too", () => {
    const state = newTurnState(ids(), 4);
    stepTurn(state, say.text("abc"));
    stepTurn(state, say.text("def"));
    expect(roundsOf(state)[0]?.text).toBe("abcd");
  });
});

describe("the root agent", () => {
  test.each([
    ["the first to speak", say.text("a", 3)],
    ["the first to think", say.thinking("a", 3)],
    ["the first to ask for calls", say.request(["c1"], 3)],
  ])("is %s", (_, first) => {
    const { state } = played(first);
    expect(stepTurn(state, say.finished(1, 1)).end).toBeUndefined();
    expect(stepTurn(state, say.finished(1, 3)).end).toBe("finished");
  });

  test("is agent 0 if the turn ends before an agent has spoken", () => {
    expect(played(say.finished(1, 0)).last?.end).toBe("finished");
    expect(played(say.finished(1, 1)).last).toEqual({ event: say.finished(1, 1), changed: [] });
  });

  test("is not decided by the messages of a call", () => {
    const { state } = played(say.asks("c1", 3));
    expect(stepTurn(state, say.finished(1, 0)).end).toBe("finished");
  });

  test("alone writes the text, but messages of other agents are still events", () => {
    const { state, last } = played(say.text("root"), say.thinking("sub", 1), say.text("sub", 1));
    expect(roundsOf(state)).toEqual([{ text: "root", thinking: "", calls: [] }]);
    expect(last?.event).toEqual(say.text("sub", 1));
    expect(textOfEvent(state, say.text("root"))).toBe("root");
    expect(textOfEvent(state, say.text("sub", 1))).toBe("");
    expect(textOfEvent(state, say.thinking("root"))).toBe("");
  });

  test("alone ends rounds", () => {
    const { state } = played(say.text("a"), say.request(["s1"], 1), say.request(["s2"], 1));
    expect(roundsOf(state)).toHaveLength(1);
  });
});

/** The calls of a turn as its steps have told them, by id. */
function told(steps: readonly TurnStep[]): Readonly<Record<string, string>> {
  return Object.fromEntries(steps.flatMap(({ changed }) => changed.map(({ id, state }) => [id, state])));
}

describe("calls", () => {
  test("are told apart by agent and id, and get unique ids", () => {
    const { steps } = played(say.request(["c1"], 0), say.request(["c1"], 1), say.asks("c1", 1));
    expect(told(steps)).toEqual({ c1: "requested", "c1~2": "awaiting" });
    expect(steps[2]?.changed).toMatchObject([{ agentId: 1 }]);
  });

  test("get the ids that the client assigns", () => {
    const state = newState((callId) => `${callId}~9`);
    expect(stepTurn(state, say.request(["c1"])).changed).toMatchObject([{ id: "c1~9" }]);
  });

  test("ask for a decision once", () => {
    const { steps } = played(say.request(["c1"]), say.asks("c1"), say.asks("c1"));
    expect(steps[1]?.ask).toMatchObject({ callId: "c1", agentId: 0, call: { state: "awaiting" } });
    expect(steps[2]).toEqual({ changed: [] });
  });

  test("that go on without a decision need none any more", () => {
    expect(played(say.asks("c1"), say.started("c1")).last?.decided?.call.id).toBe("c1");
  });

  test("are named in their warnings", () => {
    const { state, last } = played(say.asks("c1"));
    decide(state, askedBy(last), { decision: "reject", by: "reply" });
    expect(stepTurn(state, say.completed("c1")).warning).toBe("the call c1 has run although it was denied");
  });

  test("emit no event for a repeated message", () => {
    const { last } = played(say.started("c1"), say.started("c1"));
    expect(last).toEqual({ changed: [] });
  });

  test("that have ended emit no event for late output, which begins no other call", () => {
    const { steps } = played(
      say.request(["c1"]),
      say.completed("c1"),
      say.started("c1"),
      say.delta("c1", "x"),
    );
    expect(steps.slice(2)).toEqual([{ changed: [] }, { changed: [] }]);
  });
});

/** The call that a step asks a decision for. */
function askedBy(step: TurnStep | undefined): WireCall {
  if (!step?.ask) throw new Error("nothing was asked");
  return step.ask;
}

const YES: Ruling = { decision: "once", by: "reply" };
const NO: Ruling = { decision: "reject", by: "reply" };

describe("a repeated call id", () => {
  test("makes a new call of each entry of a request", () => {
    expect(told(played(say.request(["x", "x"])).steps)).toEqual({ x: "requested", "x~2": "requested" });
  });

  test.each([
    ["approved", YES],
    ["denied", NO],
  ])("asks again after a call that was %s", (_, ruling) => {
    const { state, last } = played(say.asks("x"));
    decide(state, askedBy(last), ruling);
    expect(stepTurn(state, say.asks("x"))).toMatchObject({ ask: { callId: "x", call: { id: "x~2" } } });
  });

  test.each([
    ["done", say.completed("x")],
    ["failed", say.toolError("x")],
    ["running", say.started("x")],
  ])("asks again after a call that is %s", (_, message) => {
    const { last } = played(say.request(["x"]), message, say.asks("x"));
    expect(last).toMatchObject({ ask: { call: { id: "x~2", state: "awaiting" } } });
  });

  test("gives approval requests and starts to the oldest call that is only requested", () => {
    const { steps } = played(say.request(["x", "x", "x"]), say.asks("x"), say.started("x"), say.asks("x"));
    expect(told(steps)).toEqual({ x: "awaiting", "x~2": "running", "x~3": "awaiting" });
  });

  test("in a start without a requested call is a repetition", () => {
    const { last } = played(say.request(["x"]), say.started("x"), say.started("x"));
    expect(last).toEqual({ changed: [] });
  });

  test.each([
    ["output", say.delta("x", "1"), { state: "running", output: "1" }],
    ["a result", say.completed("x", "1"), { state: "done", output: "1" }],
    ["an error", say.toolError("x", "1"), { state: "failed", error: "1" }],
  ])("with %s addresses the oldest call that has not ended", (_, message, expected) => {
    const { state } = played(say.request(["x", "x"]), say.started("x"), say.started("x"));
    const first = stepTurn(state, message).changed;
    expect(first).toMatchObject([{ id: "x", ...expected }]);
  });

  test("gives each result to the next call in order", () => {
    const { steps } = played(
      say.request(["x", "x"]),
      say.started("x"),
      say.started("x"),
      say.completed("x", "one"),
      say.completed("x", "two"),
    );
    expect(steps.slice(-2).flatMap(({ changed }) => changed)).toMatchObject([
      { id: "x", output: "one" },
      { id: "x~2", output: "two" },
    ]);
  });

  test("gives the first confirmation of a denial to the denied call, and the second to the next call", () => {
    const { state, last } = played(say.request(["x", "x"]), say.asks("x"));
    decide(state, askedBy(last), NO);
    expect(stepTurn(state, say.toolError("x", "Denied by user")).changed).toMatchObject([
      { id: "x", state: "denied", deniedBy: "user" },
    ]);
    expect(stepTurn(state, say.toolError("x", "Denied by user")).changed).toMatchObject([
      { id: "x~2", state: "denied", deniedBy: "server" },
    ]);
  });

  test("gives a result to another call while an approval is open, if there is another call", () => {
    const { state, last } = played(say.request(["x", "x"]), say.asks("x"));
    const step = stepTurn(state, say.completed("x", "two"));
    expect(step).toMatchObject({ changed: [{ id: "x~2", state: "done" }] });
    expect(step.decided).toBeUndefined();
    expect(askedBy(last).call.state).toBe("awaiting");
  });

  test("keeps decisions in the order of their approval requests", () => {
    const { state, steps } = played(say.request(["x", "x"]), say.asks("x"), say.asks("x"));
    const [first, second] = steps.slice(1).map(askedBy);
    if (!first || !second) throw new Error("nothing was asked");
    second.ruling = YES;
    expect(state.calls.nextRuled(second)).toBeUndefined();
    first.ruling = NO;
    expect(state.calls.nextRuled(second)).toBe(first);
    decide(state, first, NO);
    expect(state.calls.nextRuled(second)).toBe(second);
  });

  test("costs one look per call for 20,000 open approval requests", () => {
    const count = 20_000;
    const { state } = played(say.request(Array.from({ length: count }, () => "x")));
    const asked = Array.from({ length: count }, () => askedBy(stepTurn(state, say.asks("x"))));
    let looks = 0;
    for (const call of asked) {
      const ruling = (): Ruling => {
        looks++;
        return YES;
      };
      Object.defineProperty(call, "ruling", { get: ruling });
    }
    const [first] = asked;
    if (!first) throw new Error("nothing was asked");
    for (let next = state.calls.nextRuled(first); next; next = state.calls.nextRuled(first))
      decide(state, next, YES);
    for (let n = 0; n < count; n++) stepTurn(state, say.completed("x"));
    expect(looks).toBe(count);
    expect(asked.every(({ call }) => call.state === "done")).toBe(true);
    expect(stepTurn(state, say.completed("x"))).toEqual({ changed: [] });
  });
});

describe("an unreadable approval request", () => {
  const question = { callId: "x", agentId: 0, raw: "?" };

  test("belongs to the oldest call of its id, which keeps the fields of its tool request", () => {
    const { state } = played(say.request(["x", "x"]));
    expect(stepUnreadable(state, question)).toMatchObject({
      ask: { call: { id: "x", name: "mcp_shell", state: "awaiting" } },
    });
    expect(stepTurn(state, say.asks("x"))).toMatchObject({ ask: { call: { id: "x~2" } } });
  });

  test("makes a new call if its id is unknown", () => {
    expect(stepUnreadable(newState(), question)).toMatchObject({
      changed: [{ id: "x", name: "unknown", state: "awaiting" }],
    });
  });

  test("changes nothing while its call awaits a decision", () => {
    const { state } = played(say.asks("x"));
    expect(stepUnreadable(state, question)).toEqual({ changed: [] });
  });
});

describe("decisions", () => {
  function awaiting() {
    const { state, last } = played(say.request(["c1"]), say.asks("c1"));
    return { state, asked: askedBy(last) };
  }

  test("an approval makes the call `approved`, then `running`, with an inferred event", () => {
    const { state, asked } = awaiting();
    const step = decide(state, asked, { decision: "once", by: "reply" });
    expect(step.approved).toBe(true);
    expect(step.changed.map(({ state }) => state)).toEqual(["approved", "running"]);
    expect(step.event).toEqual({ ...say.started("c1"), inferred: true });
    expect(asked.call).toMatchObject({ state: "running", startInferred: true });
    expect(stepTurn(state, say.started("c1"))).toEqual({ changed: [] });
  });

  test("a denial emits no event, and is final", () => {
    const { state, asked } = awaiting();
    const step = decide(state, asked, { decision: "reject", by: "policy" });
    expect(step).toMatchObject({ approved: false, changed: [{ state: "denied", deniedBy: "policy" }] });
    expect(step.event).toBeUndefined();
    expect(asked.call.state).toBe("denied");
  });
});

describe("retries", () => {
  const ends = (attempts: readonly number[]) =>
    played(...attempts.map((attempt) => say.retrying(attempt))).steps.map(({ end }) => end);

  test.each([
    ["the same attempt each time", [1, 1, 1, 1, 1], 5],
    ["counting down", [9, 8, 7, 6, 5], 5],
    ["only counting up, which does not end it", [1, 2, 3, 4, 5, 6, 7, 8], undefined],
    ["stuck after counting up", [1, 2, 3, 3, 3, 3, 3], 7],
    ["only four, which do not end it", [1, 1, 1, 1], undefined],
  ] as const)("end the turn if five do not count up: %s", (_, attempts, endsAt) => {
    const at = ends(attempts).indexOf("retries");
    expect(at === -1 ? undefined : at + 1).toBe(endsAt);
  });

  test("are counted anew after a text", () => {
    const state = newState();
    for (let time = 1; time < MAX_RETRIES; time++) stepTurn(state, say.retrying());
    stepTurn(state, say.text("a"));
    for (let time = 1; time < MAX_RETRIES; time++)
      expect(stepTurn(state, say.retrying()).end).toBeUndefined();
    expect(stepTurn(state, say.retrying()).end).toBe("retries");
  });

  test("are emitted as events", () => {
    expect(played(say.retrying(2)).last?.event).toEqual(say.retrying(2));
  });
});
