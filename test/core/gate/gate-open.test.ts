import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/core/deferred.ts";
import { InvalidInputError } from "../../../src/core/errors.ts";
import type { ApprovalOptions, ToolRule } from "../../../src/core/gate/rules.ts";
import type { DecidedBy, Decision, Ruling } from "../../../src/core/values.ts";
import { askedCall, gateRig, NOTHING_OPEN, question, rule } from "../support/gate.ts";
import { codeOf, settle, thrownBy, unhandledDuring } from "../support/promises.ts";
import { IDLE, outcomeOf, turnRig } from "../support/turns.ts";

const ALLOWED: Ruling = { decision: "once", by: "policy" };
const NOBODY: Ruling = { decision: "reject", by: "policy", reason: "nobody is there to approve it" };
/** Options as code without types may give them. */
const untyped = (options: object): ApprovalOptions => options as ApprovalOptions;

describe("a callback", () => {
  test.each<{ how: string; fail: () => Promise<Decision> }>([
    {
      how: "throws",
      fail: () => {
        throw new Error("mine");
      },
    },
    { how: "rejects", fail: () => Promise.reject(new Error("mine")) },
    {
      how: "returns what throws when awaited",
      fail: () =>
        new Proxy({} as Promise<Decision>, {
          get: () => {
            throw new Error("mine");
          },
        }),
    },
  ])("that $how denies once, and is reported", async ({ fail }) => {
    const { ask, told, leftovers } = gateRig({ onToolApproval: fail });
    const { rulings } = ask();
    expect(await unhandledDuring(settle)).toEqual([]);
    expect(rulings).toEqual([{ decision: "reject", by: "error", reason: "`onToolApproval` failed" }]);
    expect(told.warnings).toEqual([
      { kind: "approval-failed", message: "`onToolApproval` failed: Error: mine", cause: new Error("mine") },
    ]);
    expect(leftovers()).toEqual(NOTHING_OPEN);
  });

  test("gets the call, and a signal that a decision of its own does not abort", async () => {
    const seen: unknown[] = [];
    let signal: AbortSignal | undefined;
    const { ask } = gateRig({
      onToolApproval: (call, context) => {
        seen.push(call);
        signal = context.signal;
        return true;
      },
    });
    ask({ name: "shell" });
    await settle();
    expect([seen, signal?.aborted]).toEqual([[askedCall({ name: "shell" })], false]);
  });

  test("that never settles keeps nobody else waiting", async () => {
    const { ask, gate } = gateRig({
      onToolApproval: ({ name }) => (name === "stuck" ? new Promise<Decision>(() => {}) : true),
    });
    const stuck = ask({ id: "call-1", name: "stuck" });
    const other = ask({ id: "call-2" });
    await settle();
    expect([stuck.rulings, other.rulings.length, gate.pending.map(({ id }) => id)]).toEqual([
      [],
      1,
      ["call-1"],
    ]);
  });

  test.each<{ how: string; finish: (later: ReturnType<typeof deferred<Decision>>) => void }>([
    { how: "an approval", finish: (later) => later.resolve("always") },
    { how: "no decision", finish: (later) => later.resolve(7 as never) },
    { how: "a failure", finish: (later) => later.reject(new Error("mine")) },
  ])(
    "that comes with $how when it is too late changes nothing, and is nobody's fault",
    async ({ finish }) => {
      const later = deferred<Decision>();
      const { ask, gate, told } = gateRig({ onToolApproval: () => later.promise });
      const { rulings } = ask();
      gate.decide("call-1", { decision: "reject", reason: "no" });
      finish(later);
      expect(await unhandledDuring(settle)).toEqual([]);
      expect([rulings, told.warnings]).toEqual([[{ decision: "reject", by: "reply", reason: "no" }], []]);
      const next = ask({ id: "call-2" });
      expect(next.rulings, "a late `always` holds for nothing").toEqual([]);
    },
  );

  test("is not asked about what a rule decides", () => {
    let asked = 0;
    const toolPolicy: ToolRule[] = [rule("read", "allow")];
    const { ask } = gateRig({ toolPolicy, onToolApproval: () => asked++ < 0 });
    expect([ask().rulings, asked]).toEqual([[ALLOWED], 0]);
  });
});

describe("a reply", () => {
  test.each<unknown>(["reject", "always", 7, undefined])(
    "that comes second, saying %o, is told the first outcome and changes nothing",
    (value) => {
      const { ask, gate } = gateRig({ onToolApproval: "manual" });
      const { rulings } = ask();
      const first = gate.decide("call-1", "once");
      expect(gate.decide("call-1", value)).toBe(first);
      expect(rulings).toEqual([{ decision: "once", by: "reply" }]);
      expect(ask({ id: "call-2" }).rulings).toEqual([]);
    },
  );

  test("to what was never open is told how that was decided", () => {
    const { ask, gate } = gateRig();
    ask({ isHandled: true });
    expect(gate.decide("call-1", "reject")).toEqual(ALLOWED);
  });

  test.each<{ id: unknown; says: string }>([
    { id: "call-2", says: '"call-2"' },
    { id: "", says: '""' },
    { id: "x".repeat(5_000), says: `"${"x".repeat(100)}"` },
    { id: undefined, says: "undefined" },
    { id: 10n, says: "a bigint" },
    { id: { token: "secret" }, says: "an object" },
  ])("to what nobody asked is a typed error: $says", ({ id, says }) => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    const { rulings } = ask();
    const error = thrownBy(() => gate.decide(id as string, "once"));
    expect([codeOf(error), String(error)]).toEqual([
      "invalid-input",
      expect.stringContaining(`nothing was asked with the id ${says}. `),
    ]);
    expect(rulings).toEqual([]);
  });

  test("decides while a callback thinks, and tells it so", async () => {
    let signal: AbortSignal | undefined;
    const { ask, gate } = gateRig({
      onToolApproval: (_, context) => {
        signal = context.signal;
        return new Promise<Decision>(() => {});
      },
    });
    const { rulings } = ask();
    gate.decide("call-1", true);
    expect(rulings).toEqual([{ decision: "once", by: "reply" }]);
    expect([signal?.aborted, signal?.reason]).toEqual([true, new Error("it was decided by a reply")]);
  });

  test("finds the last 256 that were settled", () => {
    const { ask, gate } = gateRig();
    for (let use = 0; use <= 256; use++) ask({ id: `call-${use}` });
    expect(gate.decide("call-1", true)).toEqual(NOBODY);
    expect(codeOf(thrownBy(() => gate.decide("call-0", true)))).toBe("invalid-input");
  });
});

describe("withdrawing", () => {
  test.each<DecidedBy>(["elsewhere", "cancelled", "ended", "disconnected"])(
    "as `%s` denies, aborts the callback with the reason, and leaves nothing",
    async (by) => {
      let signal: AbortSignal | undefined;
      const later = deferred<Decision>();
      const { ask, leftovers, gate } = gateRig({
        approvalTimeout: 1_000,
        onToolApproval: (_, context) => {
          signal = context.signal;
          return later.promise;
        },
      });
      const { rulings, withdraw } = ask();
      expect(leftovers()).toEqual({ open: 1, timers: 1 });
      withdraw(by, "the reason");
      withdraw("cancelled", "another");
      later.resolve("always");
      await settle();
      const ruling: Ruling = { decision: "reject", by, reason: "the reason" };
      expect([rulings, leftovers()]).toEqual([[ruling], NOTHING_OPEN]);
      expect([signal?.aborted, signal?.reason]).toEqual([true, new Error("the reason")]);
      expect(gate.decide("call-1", "once")).toEqual(ruling);
    },
  );

  test("what was decided does nothing, by whomever", () => {
    const { ask, gate } = gateRig({
      onToolApproval: "manual",
      toolPolicy: [rule("write", "allow")],
    });
    const asked = ask({ id: "call-1" });
    gate.decide("call-1", "once");
    asked.withdraw("cancelled", "too late");
    const known = ask({ id: "call-2", name: "write" });
    known.withdraw("cancelled", "too late");
    expect([asked.rulings, known.rulings]).toEqual([[{ decision: "once", by: "reply" }], [ALLOWED]]);
  });
});

describe("the time limit", () => {
  test("denies what nobody decided, aborts the callback, and leaves nothing", async () => {
    let signal: AbortSignal | undefined;
    const { ask, clock, leftovers } = gateRig({
      approvalTimeout: 1_000,
      onToolApproval: (_, context) => {
        signal = context.signal;
        return new Promise<Decision>(() => {});
      },
    });
    const { rulings } = ask();
    await clock.advance(999);
    expect(rulings).toEqual([]);
    await clock.advance(1);
    const reason = "nobody decided within 1000 ms";
    expect(rulings).toEqual([{ decision: "reject", by: "timeout", reason }]);
    expect([signal?.reason, leftovers()]).toEqual([new Error(reason), NOTHING_OPEN]);
  });

  test("counts for each request from when it was opened", async () => {
    const { ask, clock, gate } = gateRig({ approvalTimeout: 1_000, onToolApproval: "manual" });
    ask({ id: "call-1" });
    await clock.advance(600);
    ask({ id: "call-2" });
    await clock.advance(400);
    expect(gate.pending.map(({ id }) => id)).toEqual(["call-2"]);
    await clock.advance(600);
    expect(gate.pending).toEqual([]);
  });

  test("leaves nothing when a decision comes first", async () => {
    const { ask, clock, gate, leftovers } = gateRig({ approvalTimeout: 1_000, onToolApproval: "manual" });
    const { rulings } = ask();
    gate.decide("call-1", "once");
    expect(leftovers()).toEqual(NOTHING_OPEN);
    await clock.advance(2_000);
    expect(rulings).toHaveLength(1);
  });

  test.each(["callback first", "time limit first"])(
    "and a callback that comes in the same moment: the first counts (%s)",
    async (order) => {
      const { ask, clock, told } = gateRig({
        approvalTimeout: order === "callback first" ? 1_001 : 1_000,
        onToolApproval: () => new Promise((resolve) => void clock.setTimeout(() => resolve(true), 1_000)),
      });
      const { rulings } = ask();
      await clock.advance(1_001);
      expect(rulings.map(({ by }) => by)).toEqual([order === "callback first" ? "callback" : "timeout"]);
      expect([told.warnings, clock.pending]).toEqual([[], 0]);
    },
  );

  test.each([0, undefined])("of %o waits for ever, and sets no timer", (approvalTimeout) => {
    const { ask, leftovers } = gateRig(untyped({ approvalTimeout, onToolApproval: "manual" }));
    ask();
    expect(leftovers()).toEqual({ open: 1, timers: 0 });
  });
});

describe("several at once", () => {
  test("are open in the order they came, and each is decided by itself", () => {
    const { ask, askQuestion, gate, told } = gateRig({ onToolApproval: "manual", onQuestion: "manual" });
    const first = ask({ id: "a" });
    const second = askQuestion({ id: "b" });
    const third = ask({ id: "c", name: "write" });
    const pending = [
      { type: "approval", id: "a", call: askedCall({ id: "a" }) },
      { type: "question", id: "b", question: question({ id: "b" }) },
      { type: "approval", id: "c", call: askedCall({ id: "c", name: "write" }) },
    ];
    expect([gate.pending, told.opened]).toEqual([pending, pending]);
    gate.decide("c", false);
    expect(gate.pending.map(({ id }) => id)).toEqual(["a", "b"]);
    gate.decide("a", true);
    gate.answer("b", "left");
    expect([first.rulings[0]?.decision, second.replies[0]?.answers, third.rulings[0]?.decision]).toEqual([
      "once",
      [["left"]],
      "reject",
    ]);
    expect(["a", "b", "c", "d"].map((id) => gate.isOpen(id))).toEqual([false, false, false, false]);
  });

  test("are settled by the verb that is theirs alone: `decide` for calls, `answer` for questions", () => {
    const { ask, askQuestion, gate } = gateRig({ onToolApproval: "manual", onQuestion: "manual" });
    ask({ id: "a" });
    askQuestion({ id: "b" });
    const refusals = (): unknown[] => [
      thrownBy(() => gate.answer("a", "left")),
      thrownBy(() => gate.decide("b", true)),
    ];
    const expected = [
      { code: "invalid-input", message: expect.stringMatching(/"a".*tool call.*`client\.decide`/) },
      { code: "invalid-input", message: expect.stringMatching(/"b".*question.*`client\.answer`/) },
    ];
    expect(refusals()).toMatchObject(expected);
    expect(gate.pending).toHaveLength(2);
    gate.decide("a", true);
    gate.answer("b", "left");
    expect(refusals(), "also once they are settled").toMatchObject(expected);
  });

  test("are told as settled, once each, with what they were and whatever ended them", () => {
    const { ask, askQuestion, gate, told } = gateRig({
      toolPolicy: [{ tool: "write", then: "deny" }],
      onToolApproval: "manual",
      onQuestion: "manual",
    });
    ask({ id: "a" });
    askQuestion({ id: "b" });
    const { withdraw } = ask({ id: "c" });
    ask({ id: "d", name: "write" });
    gate.decide("a", "always");
    gate.decide("a", false);
    gate.answer("b", null);
    withdraw("disconnected", "the link is lost");
    expect(told.settled).toEqual([
      {
        type: "approval",
        id: "d",
        call: askedCall({ id: "d", name: "write" }),
        ruling: { decision: "reject", by: "policy", reason: "denied by `toolPolicy`" },
      },
      {
        type: "approval",
        id: "a",
        call: askedCall({ id: "a" }),
        ruling: { decision: "always", by: "reply" },
      },
      {
        type: "question",
        id: "b",
        question: question({ id: "b" }),
        reply: { answers: undefined, by: "reply" },
      },
      {
        type: "approval",
        id: "c",
        call: askedCall({ id: "c" }),
        ruling: { decision: "reject", by: "disconnected", reason: "the link is lost" },
      },
    ]);
  });

  test("do not wait for each other's callbacks", async () => {
    const later = new Map<string, ReturnType<typeof deferred<Decision>>>();
    const { ask } = gateRig({
      onToolApproval: ({ id }) => {
        const mine = deferred<Decision>();
        later.set(id, mine);
        return mine.promise;
      },
    });
    const order: string[] = [];
    for (const id of ["a", "b", "c"]) ask({ id, decided: () => void order.push(id) });
    for (const id of ["c", "a", "b"]) {
      later.get(id)?.resolve(true);
      await settle();
    }
    expect(order).toEqual(["c", "a", "b"]);
  });
});

describe("a turn that waits for the user", () => {
  test("does not idle meanwhile, and again when all are decided", async () => {
    const { turn, clock } = turnRig();
    turn.sent();
    turn.active();
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    ask({ id: "a", turn });
    ask({ id: "b", turn });
    await clock.advance(IDLE * 2);
    gate.decide("a", true);
    await clock.advance(IDLE * 2);
    expect([turn.status, turn.pending.map(({ id }) => id)]).toEqual(["sent", ["b"]]);
    gate.decide("b", false);
    expect(turn.pending).toEqual([]);
    await clock.advance(IDLE);
    turn.stopped();
    expect(await outcomeOf(turn)).toBe("failed turn-timeout");
  });

  test("does not wait for what a rule decides", () => {
    const { turn } = turnRig();
    const holds: string[] = [];
    turn.on("approval", ({ id }) => void holds.push(id));
    const { ask } = gateRig({ toolPolicy: [rule("read", "allow")], onToolApproval: "manual" });
    ask({ turn });
    expect([holds, turn.pending]).toEqual([[], []]);
  });

  test.each<{ how: string; stop: (turn: ReturnType<typeof turnRig>["turn"]) => void; by: DecidedBy }>([
    { how: "being cancelled", stop: (turn) => void turn.cancel(), by: "cancelled" },
    {
      how: "cancelled",
      stop: (turn) => {
        void turn.cancel();
        turn.stopped();
      },
      by: "cancelled",
    },
    { how: "failed", stop: (turn) => turn.fail(new InvalidInputError("a", "b")), by: "ended" },
  ])("and is $how approves nothing more, and nobody is asked", ({ stop, by }) => {
    const { turn } = turnRig();
    stop(turn);
    let asked = 0;
    const toolPolicy = [rule("shell", "allow", () => asked++ < 9)];
    const ruling = { decision: "reject", by, reason: "its turn is over" };
    for (const options of [{}, { toolPolicy }]) {
      const { ask, told, leftovers } = gateRig({ onToolApproval: "manual", ...options });
      for (const name of ["read", "shell"]) {
        expect(ask({ id: `${name} 1`, name, turn }).rulings).toEqual([ruling]);
        expect(ask({ id: `${name} 2`, name, turn, isHandled: true }).rulings).toEqual([ruling]);
      }
      expect([told.opened, told.warnings, leftovers(), asked]).toEqual([[], [], NOTHING_OPEN, 0]);
    }
  });

  test("and has completed may still be asked for: agents go on behind an answer", () => {
    const { turn } = turnRig();
    turn.complete({ text: "" });
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    ask({ turn });
    expect(gate.pending).toHaveLength(1);
  });
});
