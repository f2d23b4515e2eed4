import { describe, expect, test } from "vitest";
import { TurnTools } from "../../../src/core/turn/turn-tools.ts";
import {
  hasEnded,
  type PendingRequest,
  type ToolCallState,
  type TurnToolCall,
} from "../../../src/core/values.ts";
import { question, toolCall } from "../support/gate.ts";

const callOf = (id: string, state: ToolCallState = "requested"): TurnToolCall => ({
  id,
  name: "read",
  input: null,
  raw: null,
  state,
});

function rig(onChange: (call: TurnToolCall) => void = () => {}) {
  const changes: string[] = [];
  const opened: PendingRequest[] = [];
  const tools = new TurnTools({
    opened: (request) => void opened.push(request),
    changed: (call) => {
      changes.push(`${call.id} ${call.state}`);
      onChange(call);
    },
  });
  return { tools, changes, opened };
}

const approval = (id: string): PendingRequest => ({ type: "approval", id, call: toolCall({ id }) });

describe("the tool calls of a turn", () => {
  test("are listed in order of their first appearance, in their current state", () => {
    const { tools, changes } = rig();
    const a = callOf("a");
    tools.set(a);
    tools.set(callOf("b"));
    const changed = callOf("a", "running");
    tools.set(changed);
    expect(tools.calls.map(({ id, state }) => [id, state])).toEqual([
      ["a", "running"],
      ["b", "requested"],
    ]);
    expect([tools.get("a"), tools.get("c")]).toEqual([changed, undefined]);
    expect(changes).toEqual(["a requested", "b requested", "a running"]);
  });

  test("are the same list until a call changes, and unchanged calls stay the same objects", () => {
    const { tools } = rig();
    expect(tools.calls).toBe(tools.calls);
    tools.set(callOf("a"));
    tools.set(callOf("b"));
    const before = tools.calls;
    expect(tools.calls).toBe(before);
    tools.set(callOf("b", "running"));
    expect(tools.calls).not.toBe(before);
    expect([tools.calls[0] === before[0], tools.calls[1] === before[1]]).toEqual([true, false]);
    expect(
      before.map(({ state }) => state),
      "a list that was read stays as it was",
    ).toEqual(["requested", "requested"]);
  });

  test("are already updated when a listener is notified", () => {
    const seen: unknown[] = [];
    const { tools } = rig((call) => seen.push(tools.calls, tools.get(call.id)));
    const a = callOf("a");
    tools.set(a);
    expect(seen).toEqual([[a], a]);
  });
});

describe("a turn that ends before its tool calls", () => {
  const STATES: Record<ToolCallState, ToolCallState> = {
    requested: "abandoned",
    awaiting: "abandoned",
    approved: "abandoned",
    running: "abandoned",
    done: "done",
    failed: "failed",
    denied: "denied",
    abandoned: "abandoned",
  };

  test.each(Object.entries(STATES))("changes a call that is %s to %s", (before, after) => {
    const { tools, changes } = rig();
    const call = callOf("a", before as ToolCallState);
    tools.set({ ...call, output: "so far" });
    tools.abandon();
    expect(tools.calls).toEqual([{ ...call, output: "so far", state: after }]);
    expect(changes.length).toBe(before === after ? 1 : 2);
    expect(hasEnded(callOf("a", after))).toBe(true);
    expect(hasEnded(call)).toBe(before === after);
  });

  test("notifies for each abandoned call once, even if it ends twice", () => {
    const { tools, changes } = rig();
    tools.set(callOf("a"));
    tools.set(callOf("b", "done"));
    tools.set(callOf("c", "running"));
    tools.abandon();
    tools.abandon();
    expect(changes.slice(3)).toEqual(["a abandoned", "c abandoned"]);
  });
});

describe("the pending requests of a turn", () => {
  test("are listed in order until they are closed", () => {
    const { tools, opened } = rig();
    const asked: PendingRequest = { type: "question", id: "b", question: question({ id: "b" }) };
    for (const request of [approval("a"), asked, approval("c")]) tools.opened(request);
    expect([tools.pending, opened]).toEqual([
      [approval("a"), asked, approval("c")],
      [approval("a"), asked, approval("c")],
    ]);
    tools.closed("b");
    expect(tools.pending).toEqual([approval("a"), approval("c")]);
  });

  test("are the same list until one changes, and a list that was read stays unchanged", () => {
    const { tools } = rig();
    tools.opened(approval("a"));
    const before = tools.pending;
    tools.closed("unknown");
    expect(tools.pending).toBe(before);
    tools.closed("a");
    expect([tools.pending, before]).toEqual([[], [approval("a")]]);
  });

  test("are identified by the object, not by the id", () => {
    const { tools } = rig();
    const [first, second] = [approval("a"), approval("a")];
    tools.opened(first);
    expect([tools.isPending(first), tools.isPending(second)]).toEqual([true, false]);
    tools.opened(second);
    expect([tools.isPending(first), tools.isPending(second), tools.pending]).toEqual([false, true, [second]]);
  });

  test("include a request when its listener is notified", () => {
    const seen: unknown[] = [];
    const tools: TurnTools = new TurnTools({
      opened: () => void seen.push(tools.pending),
      changed: () => {},
    });
    tools.opened(approval("a"));
    expect(seen).toEqual([[approval("a")]]);
  });
});
