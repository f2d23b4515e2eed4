import { describe, expect, test } from "vitest";
import type { TurnMessage } from "../../src/codey/messages.ts";
import {
  currentOf,
  decide,
  MAX_RETRIES,
  newTurnState,
  roundsOf,
  stepTurn,
  type TurnState,
  type TurnStep,
  textOf,
} from "../../src/codey/turn.ts";
import { say } from "../helpers/codey-fake.ts";

const LONG = 1_000_000;

function newState(idFor: (callId: string) => string = (callId) => callId): TurnState {
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
  test("text and thinking gather per round, and a round ends with its calls", () => {
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

  test("a round in which the model says nothing is one of its own", () => {
    const { state } = played(
      say.request(["c1"]),
      say.started("c1"),
      say.completed("c1"),
      say.request(["c2"]),
      say.request(["c3"]),
    );
    expect(roundsOf(state).map(({ calls }) => calls)).toEqual([["c1"], ["c2"], ["c3"]]);
  });

  test("a request that repeats known calls begins no round, and changes nothing", () => {
    const { state, last } = played(say.request(["c1"]), say.request(["c1"]));
    expect(roundsOf(state)).toHaveLength(1);
    expect(last).toMatchObject({ changed: [], event: { type: "ToolRequest" } });
  });

  test("an empty request ends no round", () => {
    const { state } = played(say.text("a"), say.request([]), say.text("b"));
    expect(roundsOf(state)).toEqual([{ text: "ab", thinking: "", calls: [] }]);
  });

  test("a call that no request named belongs to the round that is under way", () => {
    const { state } = played(say.text("a"), say.asks("c1"));
    expect(roundsOf(state)).toEqual([{ text: "a", thinking: "", calls: ["c1"] }]);
    expect(roundsOf(played(say.asks("c1")).state)).toEqual([{ text: "", thinking: "", calls: ["c1"] }]);
  });

  test("a text that is too long is cut off in its round as well", () => {
    const state = newTurnState((id) => id, 4);
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

  test("is the first of the server's, when the turn ends before anybody has spoken", () => {
    expect(played(say.finished(1, 0)).last?.end).toBe("finished");
    expect(played(say.finished(1, 1)).last).toEqual({ event: say.finished(1, 1), changed: [] });
  });

  test("is not decided by a call's own messages", () => {
    const { state } = played(say.asks("c1", 3));
    expect(stepTurn(state, say.finished(1, 0)).end).toBe("finished");
  });

  test("alone makes the text, and what others say is told all the same", () => {
    const { state, last } = played(say.text("root"), say.thinking("sub", 1), say.text("sub", 1));
    expect(roundsOf(state)).toEqual([{ text: "root", thinking: "", calls: [] }]);
    expect(last?.event).toEqual(say.text("sub", 1));
    expect(textOf(state, say.text("root"))).toBe("root");
    expect(textOf(state, say.text("sub", 1))).toBe("");
    expect(textOf(state, say.thinking("root"))).toBe("");
  });

  test("alone ends rounds: a request of another does not", () => {
    const { state } = played(say.text("a"), say.request(["s1"], 1), say.request(["s2"], 1));
    expect(roundsOf(state)).toHaveLength(1);
  });
});

describe("calls", () => {
  test("are told apart by agent and id, and get ids of their own for users", () => {
    const { state } = played(say.request(["c1"], 0), say.request(["c1"], 1), say.asks("c1", 1));
    expect([...state.calls.values()].map(({ call }) => [call.id, call.agentId, call.state])).toEqual([
      ["c1", 0, "requested"],
      ["c1~2", 1, "awaiting"],
    ]);
  });

  test("get the ids that the client gives them", () => {
    const state = newState((callId) => `${callId}~9`);
    expect(stepTurn(state, say.request(["c1"])).changed).toMatchObject([{ id: "c1~9" }]);
  });

  test("one that is named twice in a request is one", () => {
    expect(played(say.request(["c1", "c1"])).last?.changed).toHaveLength(1);
  });

  test("a question asks for a decision, once", () => {
    const { steps } = played(say.request(["c1"]), say.asks("c1"), say.asks("c1"));
    expect(steps[1]?.ask).toMatchObject({ callId: "c1", agentId: 0, call: { state: "awaiting" } });
    expect(steps[2]).toEqual({ changed: [] });
  });

  test("one that goes on without the decision needs none any more", () => {
    expect(played(say.asks("c1"), say.started("c1")).last?.decided).toBe("c1");
  });

  test("what is odd about one names it", () => {
    const { state } = played(say.asks("c1"));
    const [asked] = state.calls.values();
    if (!asked) throw new Error("no call");
    decide(state, asked, { decision: "reject", by: "reply" });
    expect(stepTurn(state, say.completed("c1")).warning).toBe("the call c1 has run although it was denied");
  });

  test("a message that repeats what is known is no event", () => {
    const { last } = played(say.started("c1"), say.started("c1"));
    expect(last).toEqual({ changed: [] });
  });
});

describe("decisions", () => {
  function awaiting() {
    const { state } = played(say.request(["c1"]), say.asks("c1"));
    const [asked] = state.calls.values();
    if (!asked) throw new Error("no call");
    return { state, asked };
  }

  test("an approval shows as approved, then as running, with an event that the server may not send", () => {
    const { state, asked } = awaiting();
    const step = decide(state, asked, { decision: "once", by: "reply" });
    expect(step.approved).toBe(true);
    expect(step.changed.map(({ state }) => state)).toEqual(["approved", "running"]);
    expect(step.event).toEqual({ ...say.started("c1"), inferred: true });
    expect(currentOf(state, asked)).toMatchObject({ state: "running", startInferred: true });
    expect(stepTurn(state, say.started("c1"))).toEqual({ changed: [] });
  });

  test("a denial has no event, and is final", () => {
    const { state, asked } = awaiting();
    const step = decide(state, asked, { decision: "reject", by: "policy" });
    expect(step).toMatchObject({ approved: false, changed: [{ state: "denied", deniedBy: "policy" }] });
    expect(step.event).toBeUndefined();
    expect(currentOf(state, asked).state).toBe("denied");
  });
});

describe("retries", () => {
  const ends = (attempts: readonly number[]) =>
    played(...attempts.map((attempt) => say.retrying(attempt))).steps.map(({ end }) => end);

  test.each([
    ["the same again and again", [1, 1, 1, 1, 1], 5],
    ["counting down", [9, 8, 7, 6, 5], 5],
    ["counting up", [1, 2, 3, 4, 5, 6, 7, 8], undefined],
    ["standing still after counting up", [1, 2, 3, 3, 3, 3, 3], 7],
    ["one less than too many", [1, 1, 1, 1], undefined],
  ] as const)("%s", (_, attempts, endsAt) => {
    const at = ends(attempts).indexOf("retries");
    expect(at === -1 ? undefined : at + 1).toBe(endsAt);
  });

  test("are counted in a row: a word in between, and they are counted anew", () => {
    const state = newState();
    for (let time = 1; time < MAX_RETRIES; time++) stepTurn(state, say.retrying());
    stepTurn(state, say.text("a"));
    for (let time = 1; time < MAX_RETRIES; time++)
      expect(stepTurn(state, say.retrying()).end).toBeUndefined();
    expect(stepTurn(state, say.retrying()).end).toBe("retries");
  });

  test("are events like all others", () => {
    expect(played(say.retrying(2)).last?.event).toEqual(say.retrying(2));
  });
});
