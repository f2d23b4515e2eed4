import { expect } from "vitest";
import { type CallMessage, newCall, stepCall } from "../../../src/codey/calls.ts";
import { newTurnState, roundsOf, stepTurn } from "../../../src/codey/turn.ts";
import { decideCall, inferStart } from "../../../src/core/gate/outcome.ts";
import { TurnTools } from "../../../src/core/turn/turn-tools.ts";
import type { TurnToolCall } from "../../../src/core/values.ts";
import { forBoth } from "./both.ts";

const CALL = { name: "mcp_shell", params: { command: "ls" }, background: false };

const MESSAGES = {
  A: { type: "ToolAwaitingApproval", agent_id: 0, call_id: "c", ...CALL },
  S: { type: "ToolStarted", agent_id: 0, call_id: "c", name: "mcp_shell" },
  D: { type: "ToolDelta", agent_id: 0, call_id: "c", content: "b" },
  C: { type: "ToolCompleted", agent_id: 0, call_id: "c", content: "whole" },
  E: { type: "ToolError", agent_id: 0, call_id: "c", error: "no" },
} as const satisfies Readonly<Record<string, CallMessage>>;

type Letter = keyof typeof MESSAGES;

const requested = newCall("c", 0, CALL, {});
const awaiting = stepCall(requested, MESSAGES.A).call;
const approved = decideCall(awaiting, { decision: "once", by: "reply" });
const denied = decideCall(awaiting, { decision: "reject", by: "reply" });
const running: TurnToolCall = { ...inferStart(approved), output: "a" };
const done = stepCall(running, MESSAGES.C).call;
const failed = stepCall(running, MESSAGES.E).call;
const abandoned = atTurnEnd(running);
/** A denial that the server has carried out, which is as final. */
const turnedDown = stepCall(denied, MESSAGES.E).call;

const STATES = { requested, awaiting, approved, denied, running, done, failed, abandoned };

/** The call when its turn has ended. */
function atTurnEnd(call: TurnToolCall): TurnToolCall {
  const tools = new TurnTools({ opened: () => {}, changed: () => {} });
  tools.set(call);
  tools.abandon();
  const [after] = tools.calls;
  if (!after) throw new Error("The call is gone");
  return after;
}

/** What a message makes of a call: its state, what users and the gate are told. */
interface Cell {
  readonly state: TurnToolCall["state"];
  readonly ask?: true;
  readonly decided?: true;
  readonly warns?: true;
  readonly output?: string;
  readonly error?: string;
}

/**
 * The rows of the table for what the server says: in each cell a promise and what the call becomes; `ignored` is
 * nothing, and `new` another call.
 */
const ROWS: {
  readonly [row in keyof typeof STATES]: {
    readonly [letter in Letter]: readonly [string, Cell | "ignored" | "new"];
  };
} = {
  requested: {
    A: ["it is asked about", { state: "awaiting", ask: true }],
    S: ["it runs without having been asked about", { state: "running" }],
    D: ["output tells that it runs", { state: "running", output: "b" }],
    C: ["it is done", { state: "done", output: "whole" }],
    E: ["it has failed", { state: "failed", error: "no" }],
  },
  awaiting: {
    A: ["nobody is asked twice", "ignored"],
    S: ["it was decided elsewhere and runs", { state: "running", decided: true }],
    D: [
      "it was decided elsewhere, and output tells that it runs",
      { state: "running", decided: true, output: "b" },
    ],
    C: ["it was decided elsewhere and is done", { state: "done", decided: true, output: "whole" }],
    E: ["it was decided elsewhere and has failed", { state: "failed", decided: true, error: "no" }],
  },
  approved: {
    A: ["a question is about a new call", "new"],
    S: ["it runs", { state: "running" }],
    D: ["output tells that it runs", { state: "running", output: "b" }],
    C: ["it is done without ever having started", { state: "done", output: "whole" }],
    E: ["it has failed without ever having started", { state: "failed", error: "no" }],
  },
  denied: {
    A: ["a question is about a new call", "new"],
    S: ["it runs in spite of it, with a warning", { state: "running", warns: true }],
    D: ["output changes nothing, with a warning", { state: "denied", warns: true }],
    C: ["it was done in spite of it, with a warning", { state: "done", warns: true, output: "whole" }],
    E: ["it stays denied, with the server's word", { state: "denied", error: "no" }],
  },
  running: {
    A: ["a question is about a new call", "new"],
    S: ["a second start is none", "ignored"],
    D: ["output grows", { state: "running", output: "ab" }],
    C: ["the whole output replaces what had come of it", { state: "done", output: "whole" }],
    E: ["it has failed", { state: "failed", error: "no" }],
  },
  done: ended(),
  failed: ended(),
  abandoned: ended(),
};

function ended(): { readonly [letter in Letter]: readonly [string, "ignored" | "new"] } {
  return {
    A: ["a question is about a new call of this turn", "new"],
    S: ["it does not start again", "ignored"],
    D: ["no output is added", "ignored"],
    C: ["it does not end again", "ignored"],
    E: ["it does not fail afterwards", "ignored"],
  };
}

for (const [row, cells] of entries(ROWS)) {
  for (const [letter, [promise, cell]] of entries(cells)) {
    forBoth(`4.4 ${row} + ${letter}: ${promise}`, () => {
      const before = STATES[row];
      if (cell === "new") {
        const { state, step } = asksAgain(before);
        expect(step).toMatchObject({ ask: { callId: "c", call: { id: "c~2", state: "awaiting" } } });
        expect(step.changed.map(({ id }) => id)).toEqual(["c~2"]);
        expect(before).toEqual(STATES[row]);
        expect(roundsOf(state).at(-1)?.calls).toContain("c~2");
        return;
      }
      const step = stepCall(before, MESSAGES[letter]);
      if (cell === "ignored") {
        expect(step).toEqual({ call: before, tell: false });
        return;
      }
      const { ask, decided, warns, ...call } = cell;
      expect(step.call).toMatchObject(call);
      expect([step.tell, step.ask, step.decided, step.warning !== undefined]).toEqual([
        true,
        ask,
        decided,
        warns === true,
      ]);
    });
  }
}

/** A turn in which the call is as it is, or that follows the one in which it was, gets a question under its id. */
function asksAgain(call: TurnToolCall) {
  let uses = 0;
  const state = newTurnState((id) => (++uses === 1 ? id : `${id}~${uses}`), 1_000);
  const known = state.calls.add(0, "c", CALL, {});
  if (call.state === "abandoned") state.calls.takeRequested("0 c");
  else state.calls.update(known, call);
  return { state, step: stepTurn(state, MESSAGES.A) };
}

for (const letter of keys(MESSAGES)) {
  forBoth(`4.4 denied + ${letter}: what the server has turned down stays so, without a word`, () => {
    expect(stepCall(turnedDown, MESSAGES[letter])).toEqual({ call: turnedDown, tell: false });
  });
}

const UNKNOWN: { readonly [letter in Letter]: readonly [string, object] } = {
  A: ["it is made, and asked about", { state: "awaiting", name: "mcp_shell", input: CALL.params }],
  S: ["it is made, and runs", { state: "running", name: "mcp_shell" }],
  D: ["it is made, and runs", { state: "running", output: "b" }],
  C: ["it is made, and done", { state: "done", output: "whole" }],
  E: ["it is made, and has failed", { state: "failed", error: "no" }],
};

for (const [letter, [promise, call]] of entries(UNKNOWN)) {
  forBoth(`4.4 unknown id + ${letter}: ${promise}`, () => {
    const state = newTurnState((id) => id, 1_000);
    const step = stepTurn(state, MESSAGES[letter]);
    expect(step.changed).toMatchObject([call]);
    expect(step.event).toEqual(MESSAGES[letter]);
    expect(step.ask?.callId).toBe(letter === "A" ? "c" : undefined);
  });
}

const ENDS: readonly (readonly [keyof typeof STATES, string, TurnToolCall["state"]])[] = [
  ["requested", "it is abandoned", "abandoned"],
  ["awaiting", "it is abandoned", "abandoned"],
  ["approved", "it is abandoned", "abandoned"],
  ["denied", "it stays denied, for it will not run", "denied"],
  ["running", "it is abandoned, though it may go on unheard", "abandoned"],
  ["done", "it stays done", "done"],
  ["failed", "it stays failed", "failed"],
  ["abandoned", "it stays abandoned", "abandoned"],
];

for (const [row, promise, state] of ENDS) {
  forBoth(`4.4 ${row} + turn end: ${promise}`, () => {
    expect(atTurnEnd(STATES[row])).toEqual({ ...STATES[row], state });
  });
}

function entries<Key extends string, Value>(record: { readonly [key in Key]: Value }): [Key, Value][] {
  return keys(record).map((key) => [key, record[key]]);
}

function keys<Key extends string>(record: { readonly [key in Key]: unknown }): Key[] {
  return Object.keys(record) as Key[];
}
