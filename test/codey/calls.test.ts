import { describe, expect, test } from "vitest";
import { newCall, stepCall } from "../../src/codey/calls.ts";
import { decideCall, inferStart } from "../../src/core/gate/outcome.ts";
import type { Ruling, ToolCallState, TurnToolCall } from "../../src/core/values.ts";
import { say } from "../helpers/codey-fake.ts";

const A = say.asks("c1");
const S = say.started("c1");
const D = say.delta("c1", "+");
const C = say.completed("c1", "out");
const E = say.toolError("c1", "broke");
const TURNED_DOWN = say.toolError("c1", "Denied by user");

function callIn(state: ToolCallState, more: Partial<TurnToolCall> = {}): TurnToolCall {
  return { id: "c1", name: "mcp_shell", input: {}, state, agentId: 0, raw: null, ...more };
}

const DENIED_BY_USER = { deniedBy: "user" } as const;

describe("the effect of a message on a call", () => {
  test.each([
    ["requested", A, "awaiting", { ask: true }],
    ["requested", S, "running", {}],
    ["requested", D, "running", {}],
    ["requested", C, "done", {}],
    ["requested", E, "failed", {}],
    ["requested", TURNED_DOWN, "denied", {}],
    ["awaiting", S, "running", { decided: true }],
    ["awaiting", D, "running", { decided: true }],
    ["awaiting", C, "done", { decided: true }],
    ["awaiting", E, "failed", { decided: true }],
    ["awaiting", TURNED_DOWN, "failed", { decided: true }],
    ["approved", S, "running", {}],
    ["approved", D, "running", {}],
    ["approved", C, "done", {}],
    ["approved", E, "failed", {}],
    ["running", D, "running", {}],
    ["running", C, "done", {}],
    ["running", E, "failed", {}],
  ] as const)("%s: %o makes it %s", (state, message, next, more) => {
    const { call, tell, ask, decided, warning } = stepCall(callIn(state), message);
    expect({ state: call.state, tell, ask, decided, warning }).toEqual({
      state: next,
      tell: true,
      ask: undefined,
      decided: undefined,
      warning: undefined,
      ...more,
    });
  });

  test.each([
    ["awaiting", A],
    ["approved", A],
    ["running", A],
    ["running", S],
    ...(["done", "failed", "abandoned"] as const).flatMap((state) =>
      [A, S, D, C, E].map((message) => [state, message] as const),
    ),
  ] as const)("%s: %o changes nothing, and no event is emitted", (state, message) => {
    const before = callIn(state, { output: "out" });
    const { call, tell, ...rest } = stepCall(before, message);
    expect(call).toBe(before);
    expect(tell).toBe(false);
    expect(rest).toEqual({});
  });

  test.each([
    [S, "running", "runs although it was denied"],
    [D, "denied", "sends output although it was denied"],
    [C, "done", "has run although it was denied"],
    [E, "denied", undefined],
  ] as const)("denied by this client: %o makes it %s", (message, next, warning) => {
    const step = stepCall(callIn("denied", DENIED_BY_USER), message);
    expect(step).toMatchObject({ tell: true, call: { state: next, deniedBy: "user" } });
    expect(step.warning).toBe(warning);
  });

  test("the server's error does not replace the origin of a denial", () => {
    const { call } = stepCall(callIn("denied", DENIED_BY_USER), TURNED_DOWN);
    expect(call).toMatchObject({ state: "denied", deniedBy: "user", error: "Denied by user" });
  });

  test.each([A, S, D, C, E])("denied, and confirmed by the server: %o changes nothing", (message) => {
    const before = callIn("denied", { ...DENIED_BY_USER, error: "Denied by user" });
    expect(stepCall(before, message)).toEqual({ call: before, tell: false });
  });

  test("a call that the server denies without asking is denied by the server", () => {
    expect(stepCall(callIn("requested"), TURNED_DOWN).call).toMatchObject({ deniedBy: "server" });
  });

  test("the fields of an approval request replace those of the tool request", () => {
    const asked = { ...A, name: "mcp_fetch_url", params: { url: "a" }, background: true };
    const { call } = stepCall(callIn("requested", { background: false }), asked);
    expect(call).toMatchObject({ name: "mcp_fetch_url", input: { url: "a" }, background: true });
    expect(call.raw).toBe(asked);
  });

  test("pieces of output add up, and the whole output replaces them", () => {
    const one = stepCall(callIn("running"), D).call;
    const two = stepCall(one, D).call;
    expect([one.output, two.output]).toEqual(["+", "++"]);
    expect(stepCall(two, C).call.output).toBe("out");
    expect(stepCall(two, E).call).toMatchObject({ error: "broke", output: "++" });
  });

  test("a call without a name gets it from `ToolStarted`, and a known name stays", () => {
    expect(stepCall(newCall("c1", 0, {}, D), S).call.name).toBe("mcp_shell");
    expect(stepCall(callIn("requested", { name: "mcp_known" }), S).call.name).toBe("mcp_known");
  });
});

describe("a new call", () => {
  test("has the name `unknown` and a null input if its message lacks them", () => {
    expect(newCall("c1", 3, {}, D)).toEqual({
      id: "c1",
      name: "unknown",
      input: null,
      state: "requested",
      agentId: 3,
      raw: D,
    });
  });

  test("takes the fields of its message", () => {
    expect(newCall("c1", 0, A, A)).toMatchObject({ name: "mcp_shell", input: {}, background: false });
  });
});

describe("a decision", () => {
  test.each(["once", "always"] as const)("%s approves", (decision) => {
    const call = decideCall(callIn("awaiting"), { decision, by: "callback" });
    expect(call).toEqual(callIn("approved"));
  });

  test.each([
    ["callback", "user"],
    ["reply", "user"],
    ["session", "user"],
    ["policy", "policy"],
    ["timeout", "policy"],
    ["error", "policy"],
  ] as const)("by %s is a denial by the %s", (by, deniedBy) => {
    const ruling: Ruling = { decision: "reject", by, reason: "no" };
    expect(decideCall(callIn("awaiting"), ruling)).toEqual(callIn("denied", { deniedBy, reason: "no" }));
  });

  test("without a reason leaves the call without a reason", () => {
    expect(decideCall(callIn("awaiting"), { decision: "reject", by: "reply" })).not.toHaveProperty("reason");
  });

  test("that approves sets the call to running, because the server may not report it", () => {
    expect(inferStart(callIn("approved"))).toEqual(callIn("running", { startInferred: true }));
  });
});
