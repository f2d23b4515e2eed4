import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import type { ApprovalOptions, ToolRule } from "../../../src/core/gate/options.ts";
import type { Decision, Ruling, ToolCall } from "../../../src/core/values.ts";
import { askedCall, gateRig, NOTHING_OPEN, rule, toolCall } from "../support/gate.ts";
import { settle, thrownBy, unhandledDuring } from "../support/promises.ts";
import { turnRig } from "../support/turns.ts";

const ALLOWED: Ruling = { decision: "once", by: "policy" };
const DENIED: Ruling = { decision: "reject", by: "policy", reason: "denied by `toolPolicy`" };
const NOBODY: Ruling = { decision: "reject", by: "policy", reason: "nobody is there to approve it" };
const ASKED = "asked";

/** What becomes of a call at once: a ruling, or `asked`. */
function fate(options: ApprovalOptions, changes: Parameters<ReturnType<typeof gateRig>["ask"]>[0] = {}) {
  const { ask, gate } = gateRig({ onToolApproval: "manual", ...options });
  const { rulings } = ask(changes);
  expect(rulings.length + gate.pending.length, "either decided or open").toBe(1);
  return rulings[0] ?? ASKED;
}

/** Options as code without types may give them. */
const untyped = (options: object): ApprovalOptions => options as ApprovalOptions;

describe("a rule", () => {
  test.each<{ what: string; given: ToolRule; becomes: Ruling | "asked" }>([
    { what: "that allows the tool's name approves the call", given: rule("read", "allow"), becomes: ALLOWED },
    { what: "that denies the tool's name denies the call", given: rule("read", "deny"), becomes: DENIED },
    { what: "that asks opens a request", given: rule("read", "ask"), becomes: ASKED },
    { what: "for a part of the tool's name does not match", given: rule("rea", "allow"), becomes: ASKED },
    { what: "in another letter case does not match", given: rule("READ", "allow"), becomes: ASKED },
    { what: "with a string is not a pattern", given: rule(".*", "allow"), becomes: ASKED },
    { what: "with a RegExp matches anywhere in the name", given: rule(/ea/, "allow"), becomes: ALLOWED },
    { what: "with a RegExp respects its anchors", given: rule(/^ea/, "allow"), becomes: ASKED },
    { what: "with a RegExp respects its flags", given: rule(/^READ$/i, "allow"), becomes: ALLOWED },
    {
      what: "with a RegExp that does not match is skipped",
      given: rule(/^READ$/, "allow"),
      becomes: ASKED,
    },
    {
      what: "with a sticky RegExp matches anywhere in the name",
      given: rule(/ead/y, "allow"),
      becomes: ALLOWED,
    },
    { what: "whose `when` returns true matches", given: rule("read", "allow", () => true), becomes: ALLOWED },
    {
      what: "whose `when` returns false is skipped",
      given: rule("read", "allow", () => false),
      becomes: ASKED,
    },
    { what: "for another tool is skipped", given: rule("write", "deny", () => true), becomes: ASKED },
  ])("$what", ({ given, becomes }) => {
    expect(fate({ toolPolicy: [given] })).toEqual(becomes);
  });

  test("gets the call in `when`", () => {
    const calls: unknown[] = [];
    const call = toolCall({ name: "shell", input: { command: "ls" } });
    const when: ToolRule["when"] = (asked) => calls.push(asked) > 0;
    expect(fate({ toolPolicy: [rule("shell", "allow", when)] }, call)).toEqual(ALLOWED);
    expect(calls).toEqual([askedCall(call)]);
  });

  test("with a global RegExp matches every time", () => {
    const { ask } = gateRig({ toolPolicy: [rule(/read/g, "allow")] });
    const fates = [1, 2, 3].flatMap((use) => ask({ id: `call-${use}` }).rulings);
    expect(fates).toEqual([ALLOWED, ALLOWED, ALLOWED]);
  });

  test("stays as it was when the gate was created", () => {
    const options = { toolPolicy: [rule("read", "deny")] };
    const { ask } = gateRig(options);
    options.toolPolicy = [rule("read", "allow")];
    expect(ask().rulings).toEqual([DENIED]);
  });

  test("prevents the evaluation of later rules if it matches", () => {
    const asked: string[] = [];
    const noting = (name: string, fits: boolean) => () => asked.push(name) > 0 && fits;
    const toolPolicy = [
      rule("read", "allow", noting("a", false)),
      rule("read", "deny", noting("b", true)),
      rule("read", "allow", noting("c", true)),
    ];
    expect([fate({ toolPolicy }), asked]).toEqual([DENIED, ["a", "b"]]);
  });

  test.each<{ what: string; when: () => unknown }>([
    {
      what: "throws",
      when: () => {
        throw new Error("mine");
      },
    },
    { what: "returns a promise of true", when: async () => true },
    { what: "returns a promise that rejects", when: () => Promise.reject(new Error("mine")) },
    { what: "returns nothing", when: () => {} },
    { what: "returns a text", when: () => "no" },
    { what: "returns 1", when: () => 1 },
  ])("whose `when` $what denies with a warning", async ({ when }) => {
    const toolPolicy = [rule("read", "allow", when)];
    const { ask, told } = gateRig({ toolPolicy, onToolApproval: () => true });
    const unhandled = await unhandledDuring(() => {
      expect(ask({ isHandled: true }).rulings).toEqual([DENIED]);
    });
    expect(unhandled).toEqual([]);
    expect(told.warnings).toMatchObject([
      { kind: "approval-failed", message: expect.stringMatching(/^a rule of `toolPolicy` failed: /) },
    ]);
  });

  test.each<{ what: string; rule: unknown }>([
    { what: "no tool", rule: rule(undefined, "allow") },
    { what: "a list of tools", rule: rule(["read"], "allow") },
    { what: "nothing at all", rule: null },
  ])("that names $what denies with a warning", ({ rule }) => {
    const { ask, told } = gateRig(untyped({ toolPolicy: [rule], onToolApproval: "manual" }));
    expect(ask().rulings).toEqual([DENIED]);
    expect(told.warnings).toHaveLength(1);
  });

  test.each([undefined, null, "yes", "Deny"])("with `then: %o` allows nothing: the user is asked", (word) => {
    expect(fate({ toolPolicy: [rule("read", word)] }, { isHandled: true })).toBe(ASKED);
  });
});

describe("a tool with its own handler", () => {
  test.each<{ what: string; options: ApprovalOptions }>([
    { what: "nothing is given", options: {} },
    { what: "both are undefined", options: untyped({ toolPolicy: undefined, onToolApproval: undefined }) },
    { what: "other options are given", options: { onQuestion: "manual", approvalTimeout: 1_000 } },
  ])("is allowed without a warning if neither rules nor an approver are given: $what", ({ options }) => {
    const { ask, told } = gateRig(options);
    expect([ask({ isHandled: true }).rulings, told.warnings]).toEqual([[ALLOWED], []]);
  });

  test("is asked about if an approver is given, and may be denied", async () => {
    const asked: string[] = [];
    const { ask } = gateRig({ onToolApproval: ({ name }) => asked.push(name) > 1 });
    const { rulings } = ask({ name: "rm", isHandled: true });
    await settle();
    expect([asked, rulings]).toEqual([["rm"], [{ decision: "reject", by: "callback" }]]);
  });

  test.each<{ toolPolicy: readonly ToolRule[]; becomes: Ruling; asking: Ruling | "asked" }>([
    { toolPolicy: [], becomes: NOBODY, asking: ASKED },
    { toolPolicy: [rule("write", "deny")], becomes: NOBODY, asking: ASKED },
    { toolPolicy: [rule("read", "ask")], becomes: NOBODY, asking: ASKED },
    { toolPolicy: [rule("read", "deny")], becomes: DENIED, asking: DENIED },
    { toolPolicy: [rule("read", "allow")], becomes: ALLOWED, asking: ALLOWED },
  ])(
    "follows given rules, and a call that no rule decides is asked about or denied: $toolPolicy",
    ({ toolPolicy, becomes, asking }) => {
      expect(gateRig({ toolPolicy }).ask({ isHandled: true }).rulings).toEqual([becomes]);
      expect(fate({ toolPolicy }, { isHandled: true })).toEqual(asking);
    },
  );

  test.each<{ options: ApprovalOptions }>([
    { options: untyped({ onToolApproval: null }) },
    { options: untyped({ toolPolicy: null }) },
    { options: untyped({ onToolApproval: "always" }) },
  ])("is denied if an untyped option is invalid: $options", ({ options }) => {
    expect(gateRig(options).ask({ isHandled: true }).rulings).toEqual([NOBODY]);
  });
});

describe("without an approver", () => {
  test.each<{ what: string; options: ApprovalOptions }>([
    { what: "no option is given", options: {} },
    { what: "only questions are answered", options: { onQuestion: "manual" } },
    { what: "a rule asks", options: { toolPolicy: [rule("read", "ask")] } },
    { what: "null is given", options: untyped({ onToolApproval: null }) },
    { what: "a string other than `manual` is given", options: untyped({ onToolApproval: "always" }) },
  ])("a call is denied at once: $what", ({ options }) => {
    const { ask, told, leftovers } = gateRig(options);
    expect(ask().rulings).toEqual([NOBODY]);
    expect([told.opened, leftovers()]).toEqual([[], NOTHING_OPEN]);
  });

  test("one warning is given, however many calls are denied", () => {
    const { ask, told, gate } = gateRig();
    for (const use of [1, 2, 3])
      expect(ask({ id: `call-${use}`, name: `tool-${use}` }).rulings).toEqual([NOBODY]);
    gate.newSession();
    ask({ id: "call-4" });
    expect(told.warnings).toEqual([
      { kind: "tool-denied", message: expect.stringContaining("`onToolApproval`") },
    ]);
  });

  test("a listener for approvals is not an approver", () => {
    const { turn } = turnRig();
    turn.on("approval", () => {});
    const { ask } = gateRig();
    expect(ask({ turn }).rulings).toEqual([NOBODY]);
  });
});

describe("a decision", () => {
  test.each<{ decision: Decision; becomes: Omit<Ruling, "by"> }>([
    { decision: true, becomes: { decision: "once" } },
    { decision: false, becomes: { decision: "reject" } },
    { decision: "once", becomes: { decision: "once" } },
    { decision: "always", becomes: { decision: "always" } },
    { decision: "reject", becomes: { decision: "reject" } },
    { decision: { decision: "once" }, becomes: { decision: "once" } },
    { decision: { decision: "always" }, becomes: { decision: "always" } },
    {
      decision: { decision: "reject", reason: "not today" },
      becomes: { decision: "reject", reason: "not today" },
    },
  ])("$decision is accepted from a callback, a promise and a reply", async ({ decision, becomes }) => {
    for (const onToolApproval of [() => decision, async () => decision]) {
      const { ask, leftovers } = gateRig({ onToolApproval });
      const { rulings } = ask();
      await settle();
      expect([rulings, leftovers()]).toEqual([[{ ...becomes, by: "callback" }], NOTHING_OPEN]);
    }
    const { ask, gate, leftovers } = gateRig({ onToolApproval: "manual" });
    const { rulings } = ask();
    expect(gate.decide("call-1", decision)).toEqual({ ...becomes, by: "reply" });
    expect([rulings, leftovers()]).toEqual([[{ ...becomes, by: "reply" }], NOTHING_OPEN]);
  });

  test("may be a class instance with getters", () => {
    class Later {
      get decision() {
        return "reject" as const;
      }
      get reason() {
        return "worked out";
      }
    }
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    ask();
    expect(gate.decide("call-1", new Later())).toEqual({
      decision: "reject",
      by: "reply",
      reason: "worked out",
    });
  });

  const NONE: readonly unknown[] = [
    undefined,
    null,
    1,
    0,
    "",
    "yes",
    "Once",
    [],
    ["once"],
    {},
    { decision: true },
    { decision: "allow" },
    { decision: "once", reason: 1 },
    { decision: "once", reason: null },
    { decision: { decision: "once" } },
    () => true,
  ];

  test.each<{ given: object; says: string }>([
    {
      given: { decision: "reject", reson: "no" },
      says: "decision field `reson` does not exist. Did you mean `reason`?",
    },
    { given: { decison: "once" }, says: "decision field `decison` does not exist. Did you mean `decision`?" },
    { given: { decision: "once", until: undefined }, says: "These exist: decision, scope, tool, reason." },
    { given: { decision: "once", constructor: 1 }, says: "These exist: decision, scope, tool, reason." },
  ])("with an unknown field is refused: $given", async ({ given, says }) => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    const { rulings } = ask();
    const error = thrownBy(() => gate.decide("call-1", given));
    expect(error).toMatchObject({ code: "invalid-input", message: expect.stringContaining(says) });
    expect(rulings).toEqual([]);
    const asked = gateRig(untyped({ onToolApproval: () => given }));
    const denied = asked.ask();
    await settle();
    expect(denied.rulings).toMatchObject([{ decision: "reject", by: "error" }]);
    expect(asked.told.warnings).toMatchObject([{ message: expect.stringContaining(says) }]);
  });

  test.each(NONE)("%o as a reply throws, and the call stays open", (value) => {
    const { ask, gate, leftovers } = gateRig({ onToolApproval: "manual" });
    const { rulings } = ask();
    const error = thrownBy(() => gate.decide("call-1", value));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect([rulings, leftovers()]).toEqual([[], { open: 1, timers: 0 }]);
    expect(gate.decide("call-1", "once")).toEqual({ decision: "once", by: "reply" });
  });

  test.each(NONE)("%o from the callback denies with a warning", async (value) => {
    const { ask, told, leftovers } = gateRig(untyped({ onToolApproval: () => value }));
    const { rulings } = ask();
    await settle();
    expect(rulings).toEqual([{ decision: "reject", by: "error", reason: "`onToolApproval` failed" }]);
    expect([told.warnings.map(({ kind }) => kind), leftovers()]).toEqual([["approval-failed"], NOTHING_OPEN]);
  });
});

describe("the decision `always`", () => {
  const SESSION: Ruling = { decision: "always", by: "session" };

  test.each(["callback", "reply"])(
    "of a %s allows later calls of the tool at once, and no other tool's",
    async (by) => {
      const asked: string[] = [];
      const { ask, gate } = gateRig({
        onToolApproval: ({ id, name }) => {
          asked.push(id);
          return by === "callback" && name === "read" ? "always" : new Promise<Decision>(() => {});
        },
      });
      ask({ id: "call-1" });
      if (by === "reply") gate.decide("call-1", "always");
      await settle();
      expect(ask({ id: "call-2" }).rulings).toEqual([SESSION]);
      expect(ask({ id: "call-3", name: "write" }).rulings).toEqual([]);
      expect(asked).toEqual(["call-1", "call-3"]);
    },
  );

  test("with scope `turn` from a callback ends with the turn", async () => {
    const { turn } = turnRig();
    const { ask, gate } = gateRig({ onToolApproval: () => ({ decision: "once", scope: "turn" }) });
    ask({ id: "call-1", turn, turnId: "turn-1" });
    await settle();
    const ruling = { decision: "once", scope: "turn", by: "session" };
    expect(ask({ id: "call-2", turn, turnId: "turn-1" }).rulings).toEqual([ruling]);
    expect(ask({ id: "call-3", turn, turnId: "turn-2" }).rulings).toEqual([]);
    expect(gate.grants).toMatchObject([{ scope: "turn", turnId: "turn-1" }]);
  });

  test("drops the oldest grants beyond 1 MiB of grant texts", () => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    for (const id of ["a", "b", "c"]) {
      ask({ id, input: id.repeat(500_000) });
      gate.decide(id, "always");
    }
    expect(gate.grants).toHaveLength(2);
    expect(ask({ id: "d", input: "a".repeat(500_000) }).rulings).toEqual([]);
    expect(ask({ id: "e", input: "c".repeat(500_000) }).rulings).toEqual([SESSION]);
    ask({ id: "f", input: "f".repeat(3_000_000) });
    gate.decide("f", "always");
    expect(gate.grants).toHaveLength(1);
  });

  test("drops the oldest grant beyond 1,000", () => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    for (let at = 0; at <= 1_000; at++) {
      ask({ id: `${at}`, input: at });
      gate.decide(`${at}`, "always");
    }
    expect(gate.grants).toHaveLength(1_000);
    expect(ask({ id: "first", input: 0 }).rulings).toEqual([]);
    expect(ask({ id: "second", input: 1 }).rulings).toEqual([SESSION]);
  });

  test("applies only to calls of the same source, if the protocol gives one", () => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    ask({ id: "call-1", source: "read of one server" });
    gate.decide("call-1", "always");
    const [same, other, own] = [
      ask({ id: "call-2", source: "read of one server" }),
      ask({ id: "call-3", source: "read of another" }),
      ask({ id: "call-4" }),
    ];
    expect([same.rulings, other.rulings, own.rulings]).toEqual([[SESSION], [], []]);
  });

  test.each(["mcp:read", "other:mcp:read", "tool:read", 'mcp:["read",{"type":"stdio"}]', "read"])(
    "for a source never applies to a tool with that name, nor the reverse: %s",
    (name) => {
      for (const key of [
        "mcp:read",
        "tool:read",
        'mcp:["read",{"type":"stdio"}]',
        "read",
        "other:mcp:read",
      ]) {
        const { ask, gate } = gateRig({ onToolApproval: "manual" });
        ask({ id: "special", name: "read", source: key });
        gate.decide("special", "always");
        const own = ask({ id: "own", name });
        expect(own.rulings, `${key} is said for ${name}`).toEqual([]);
        gate.decide("own", "always");
        expect(ask({ id: "another", source: name === key ? `${key}2` : name }).rulings).toEqual([]);
      }
    },
  );

  test("applies before `decided` runs, so a call made there is not asked about", () => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    let next: readonly Ruling[] = [];
    ask({
      decided: () => {
        next = ask({ id: "call-2" }).rulings;
      },
    });
    gate.decide("call-1", "always");
    expect(next).toEqual([SESSION]);
  });

  test("does not decide calls that were already open", () => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    ask({ id: "call-1" });
    const second = ask({ id: "call-2" });
    gate.decide("call-1", "always");
    expect([second.rulings, gate.isOpen("call-2")]).toEqual([[], true]);
  });

  test.each<{ word: ToolRule["then"]; becomes: Ruling }>([
    { word: "deny", becomes: DENIED },
    { word: "allow", becomes: ALLOWED },
    { word: "ask", becomes: SESSION },
  ])("applies after the rules: $word", ({ word, becomes }) => {
    const later = rule("read", word, ({ id }: ToolCall) => id !== "call-1");
    const { ask, gate } = gateRig({ toolPolicy: [later], onToolApproval: "manual" });
    ask({ id: "call-1" });
    gate.decide("call-1", "always");
    expect(ask({ id: "call-2" }).rulings).toEqual([becomes]);
  });

  test("ends with its session", () => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    ask({ id: "call-1" });
    gate.decide("call-1", "always");
    gate.newSession();
    expect(ask({ id: "call-2" }).rulings).toEqual([]);
  });

  test("for a call of an earlier session does not apply to the current one", () => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    ask({ id: "call-1" });
    gate.newSession();
    gate.decide("call-1", "always");
    expect(ask({ id: "call-2" }).rulings).toEqual([]);
  });

  test.each<Decision>(["once", "reject", true, false])("is not implied by %o", (decision) => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    ask({ id: "call-1" });
    gate.decide("call-1", decision);
    expect(ask({ id: "call-2" }).rulings).toEqual([]);
  });
});
