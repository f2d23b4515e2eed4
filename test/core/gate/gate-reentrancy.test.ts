import { describe, expect, test } from "vitest";
import type { Withdraw } from "../../../src/core/gate/gate.ts";
import type { GateHost } from "../../../src/core/gate/open-request.ts";
import type { ApprovalOptions } from "../../../src/core/gate/rules.ts";
import type { Decision, Ruling } from "../../../src/core/values.ts";
import { type AskChanges, askedCall, gateRig, NOTHING_OPEN, rule } from "../support/gate.ts";
import { codeOf, settle, thrownBy } from "../support/promises.ts";
import { NOTHING_LEFT, turnRig } from "../support/turns.ts";

// What happens when the user's own code, or a protocol's, acts at the worst moment.

const BY_REPLY: Ruling = { decision: "once", by: "reply" };
const CANCELLED: Ruling = { decision: "reject", by: "cancelled", reason: "its turn is over" };

describe("a listener that replies as soon as it is told", () => {
  test("of the client decides before the callback is asked", async () => {
    let asked = 0;
    const { gate, ask, leftovers } = gateRig(
      { onToolApproval: () => asked++ < 0, approvalTimeout: 1_000 },
      { opened: ({ id }) => void gate.decide(id, "once") },
    );
    const { rulings } = ask();
    expect(rulings).toEqual([BY_REPLY]);
    await settle();
    expect([rulings, asked, leftovers()]).toEqual([[BY_REPLY], 0, NOTHING_OPEN]);
  });

  test("of the turn leaves nothing for the client's listeners to decide", () => {
    const { gate, outbox, ask, told } = gateRig({ onToolApproval: "manual" });
    const { turn } = turnRig({ outbox });
    turn.on("approval", ({ id }) => void gate.decide(id, "once"));
    expect([ask({ turn }).rulings, told.opened, turn.pending]).toEqual([[BY_REPLY], [], []]);
  });
});

describe("a turn that is stopped while its request is opened", () => {
  const NEVER = new Promise<Decision>(() => {});

  /** A turn whose stop withdraws what was asked for it, as in clients. */
  function stoppable(options: ApprovalOptions, changes: Partial<GateHost> = {}) {
    const rig = gateRig(options, changes);
    const turn = turnRig({
      outbox: rig.outbox,
      stop: () => {
        rig.withdrawAll("cancelled", CANCELLED.reason ?? "");
        turn.turn.stopped();
      },
    });
    return { ...rig, turn };
  }

  test.each<{
    where: string;
    rigged: (stop: () => void, asked: () => true) => ReturnType<typeof stoppable>;
    asks: number;
  }>([
    {
      where: "a listener of the client",
      rigged: (stop, asked) => stoppable({ onToolApproval: asked }, { opened: stop }),
      asks: 0,
    },
    {
      where: "the callback",
      rigged: (stop, asked) =>
        stoppable({
          onToolApproval: () => {
            stop();
            return asked();
          },
        }),
      asks: 1,
    },
    {
      where: "a rule",
      rigged: (stop, asked) => {
        const when = (): boolean => {
          stop();
          return true;
        };
        return stoppable({ toolPolicy: [rule("read", "allow", when)], onToolApproval: asked });
      },
      asks: 0,
    },
    {
      where: "a rule that asks",
      rigged: (stop, asked) => {
        const when = (): boolean => {
          stop();
          return true;
        };
        return stoppable({ toolPolicy: [rule("read", "ask", when)], onToolApproval: asked });
      },
      asks: 0,
    },
  ])("by $where approves nothing", async ({ rigged, asks }) => {
    let asked = 0;
    const { turn, ask, leftovers } = rigged(
      () => void turn.turn.cancel(),
      () => {
        asked++;
        return true;
      },
    );
    const { rulings } = ask({ turn: turn.turn });
    await settle();
    expect([rulings, asked, leftovers(), turn.leftovers()]).toEqual([
      [CANCELLED],
      asks,
      NOTHING_OPEN,
      NOTHING_LEFT,
    ]);
    expect(turn.turn.pending).toEqual([]);
  });

  test("before its rule is asked, does not ask the rule", () => {
    let asked = 0;
    const { turn, outbox, ask } = stoppable({ toolPolicy: [rule("read", "allow", () => asked++ < 9)] });
    const { rulings } = outbox.run(() => {
      outbox.tell(() => void turn.turn.cancel()); // of what came before in the same frame
      return ask({ turn: turn.turn });
    });
    expect([rulings, asked]).toEqual([[CANCELLED], 0]);
  });

  test("by the warning that a rule has failed, denies as the rule does, and asks nobody", async () => {
    let asked = 0;
    const { turn, ask, leftovers } = stoppable(
      { toolPolicy: [rule("read", "ask", () => "garbage")], onToolApproval: () => asked++ < 9 },
      { warn: () => void turn.turn.cancel() },
    );
    const { rulings } = ask({ turn: turn.turn });
    await settle();
    expect([rulings.map(({ decision, by }) => [decision, by]), asked, leftovers()]).toEqual([
      [["reject", "policy"]],
      0,
      NOTHING_OPEN,
    ]);
  });

  test("by a listener of its own does not ask the callback any more", () => {
    let asked = 0;
    const { turn, ask, leftovers } = stoppable({ onToolApproval: () => asked++ < 0 });
    turn.turn.on("approval", () => void turn.turn.cancel());
    expect([ask({ turn: turn.turn }).rulings, asked, leftovers()]).toEqual([[CANCELLED], 0, NOTHING_OPEN]);
  });

  test("by its callback aborts the callback's signal", () => {
    let signal: AbortSignal | undefined;
    const { turn, ask } = stoppable({
      onToolApproval: (_, context) => {
        signal = context.signal;
        void turn.turn.cancel();
        return NEVER;
      },
    });
    ask({ turn: turn.turn });
    expect([signal?.aborted, signal?.reason]).toEqual([true, new Error("its turn is over")]);
  });
});

describe("a turn that is being stopped", () => {
  test("approves nothing any more, also by who is told of it before its protocol is", () => {
    const { turn } = turnRig();
    const { gate, ask } = gateRig({ onToolApproval: "manual" });
    const { rulings } = ask({ turn });
    const replies: unknown[] = [];
    turn.on("status", () => void replies.push(gate.decide("call-1", "once")));
    void turn.cancel();
    expect([rulings, replies]).toEqual([[CANCELLED], [CANCELLED]]);
  });

  test("approves nothing any more, also when its callback does", async () => {
    const { turn } = turnRig();
    const { ask } = gateRig({ onToolApproval: () => "always" });
    const { rulings } = ask({ turn });
    void turn.cancel();
    await settle();
    expect(rulings).toEqual([CANCELLED]);
    expect(ask({ id: "call-2" }).rulings, "nor is it remembered").toEqual([]);
  });
});

describe("`decided`", () => {
  const deeds: { does: string; deed: (rig: ReturnType<typeof gateRig>, withdraw: Withdraw) => void }[] = [
    { does: "replies to the same call", deed: ({ gate }) => void gate.decide("call-1", "reject") },
    { does: "withdraws it", deed: (_, withdraw) => withdraw("cancelled", "once more") },
    { does: "begins another session", deed: ({ gate }) => gate.newSession() },
    { does: "asks for another call", deed: ({ ask }) => void ask({ id: "call-2", name: "allowed" }) },
    {
      does: "throws",
      deed: () => {
        throw new Error("mine");
      },
    },
  ];

  test.each(deeds)("that $does is called once, whoever decides", async ({ deed }) => {
    const ways: { by: string; decide: (rig: ReturnType<typeof gateRig>, withdraw: Withdraw) => unknown }[] = [
      { by: "reply", decide: ({ gate }) => gate.decide("call-1", true) },
      { by: "disconnected", decide: (_, withdraw) => withdraw("disconnected", "the link is lost") },
      { by: "timeout", decide: ({ clock }) => clock.advance(1_000) },
    ];
    for (const { by, decide } of ways) {
      let signal: AbortSignal | undefined;
      const made = gateRig({
        approvalTimeout: 1_000,
        toolPolicy: [rule("allowed", "allow")],
        onToolApproval: (_, context) => {
          signal = context.signal;
          return new Promise<Decision>(() => {});
        },
      });
      const { rulings, withdraw } = made.ask({ decided: () => deed(made, withdraw) });
      await decide(made, withdraw);
      expect([rulings.map((ruling) => ruling.by), signal?.aborted]).toEqual([[by], true]);
      expect(made.leftovers()).toEqual(NOTHING_OPEN);
    }
  });

  test("that throws is reported, also when the callback decided", async () => {
    const decided = (): never => {
      throw new Error("mine");
    };
    const { ask, told, leftovers } = gateRig({ onToolApproval: () => "once" });
    const { rulings } = ask({ decided });
    await settle();
    expect(rulings).toEqual([{ decision: "once", by: "callback" }]);
    expect(told.warnings).toMatchObject([
      { kind: "approval-failed", message: "what follows from a decision failed: Error: mine" },
    ]);
    expect(leftovers()).toEqual(NOTHING_OPEN);
  });

  test("finds its call decided: it is not open, its turn does not wait, and a reply is told the outcome", () => {
    const { turn } = turnRig();
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    const found: unknown[] = [];
    ask({
      turn,
      decided: () => void found.push(gate.isOpen("call-1"), turn.pending, gate.decide("call-1", false)),
    });
    gate.decide("call-1", true);
    expect(found).toEqual([false, [], BY_REPLY]);
  });
});

describe("a callback", () => {
  test("that replies itself has decided: what it returns is late", async () => {
    const { gate, ask, told } = gateRig({
      onToolApproval: ({ id }) => {
        gate.decide(id, { decision: "reject", reason: "by hand" });
        return "always";
      },
    });
    const { rulings } = ask();
    await settle();
    expect([rulings, told.warnings]).toEqual([[{ decision: "reject", by: "reply", reason: "by hand" }], []]);
    expect(ask({ id: "call-2" }).rulings).toEqual([{ decision: "reject", by: "reply", reason: "by hand" }]);
  });

  test("that fails has denied by the time that is reported: who hears of it cannot approve", async () => {
    const replies: unknown[] = [];
    const { gate, ask } = gateRig(
      {
        onToolApproval: () => {
          throw new Error("mine");
        },
      },
      { warn: () => void replies.push(gate.decide("call-1", "once")) },
    );
    const { rulings } = ask();
    await settle();
    const failed: Ruling = { decision: "reject", by: "error", reason: "`onToolApproval` failed" };
    expect([rulings, replies]).toEqual([[failed], [failed]]);
  });

  test("that is told to give up and replies then is told who was first", () => {
    const replies: unknown[] = [];
    const { gate, ask } = gateRig({
      onToolApproval: ({ id }, { signal }) => {
        signal.addEventListener("abort", () => replies.push(gate.decide(id, "once")));
        return new Promise<Decision>(() => {});
      },
    });
    const { rulings, withdraw } = ask();
    withdraw("elsewhere", "decided by the server");
    const first: Ruling = { decision: "reject", by: "elsewhere", reason: "decided by the server" };
    expect([rulings, replies]).toEqual([[first], [first]]);
  });
});

test("an answer that replies while it is read does not decide twice", () => {
  const { gate, ask } = gateRig({ onToolApproval: "manual" });
  const { rulings } = ask();
  const answer = {
    get decision() {
      gate.decide("call-1", "reject");
      return "once";
    },
  };
  expect(gate.decide("call-1", answer)).toEqual({ decision: "reject", by: "reply" });
  expect(rulings).toEqual([{ decision: "reject", by: "reply" }]);
});

test("a rule that replies to its own call finds nothing asked, and denies", () => {
  const when = ({ id }: { readonly id: string }): boolean => gate.decide(id, "once") !== undefined;
  const { gate, ask, told } = gateRig({ toolPolicy: [rule("read", "allow", when)] });
  expect(ask().rulings).toMatchObject([{ decision: "reject", by: "policy" }]);
  expect(told.warnings.map(({ kind }) => kind)).toEqual(["approval-failed"]);
});

describe("ids", () => {
  test("are the server's own the first time, and get `~2`, `~3` when it uses them again", () => {
    const { gate } = gateRig();
    expect(["a", "a", "b", "a", "b"].map((native) => gate.idFor(native))).toEqual([
      "a",
      "a~2",
      "b",
      "a~3",
      "b~2",
    ]);
  });

  test("are never given twice, even where the server calls something `a~2` itself", () => {
    const { gate } = gateRig();
    const ids = ["a~2", "a", "a", "a~2", "a", "a~2", "a~2~2", "a~3"].map((native) => gate.idFor(native));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("are not given twice to a server that uses one name for a thousand calls", () => {
    const { gate, ask } = gateRig({ onToolApproval: "manual" });
    const ids = Array.from({ length: 3_000 }, () => {
      const id = gate.idFor("0");
      ask({ id });
      gate.decide(id, "reject");
      return id;
    });
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("that are open, were settled, or were never asked about are not given again, however many came since", () => {
    const { gate, ask } = gateRig({ onToolApproval: "manual" });
    ask({ id: gate.idFor("open") });
    ask({ id: gate.idFor("settled") });
    const others = Array.from({ length: 6_000 }, (_, at) => `other-${at}`);
    const given = new Set(others.map((native) => gate.idFor(native)));
    gate.decide("settled", "reject");
    const again = ["open", "settled", ...others].map((native) => gate.idFor(native));
    expect(again.slice(0, 2)).toEqual(["open~2", "settled~2"]);
    expect(again.filter((id) => given.has(id))).toEqual([]);
  });

  test("keep a late reply to an old call from deciding the new one", () => {
    const { gate, ask } = gateRig({ onToolApproval: "manual" });
    ask({ id: gate.idFor("a") });
    const first = gate.decide("a", "reject");
    const again = ask({ id: gate.idFor("a") });
    expect(gate.decide("a", "once")).toBe(first);
    expect(again.rulings).toEqual([]);
  });

  test("that are open already are refused a second time: one reply does not decide two calls", () => {
    const { gate, ask, told, leftovers } = gateRig({ onToolApproval: "manual", approvalTimeout: 1_000 });
    const first = ask({ name: "read" });
    const second = ask({ name: "shell" });
    expect(second.rulings).toEqual([
      { decision: "reject", by: "error", reason: "another request with its id is open" },
    ]);
    expect(told.warnings.map(({ kind }) => kind)).toEqual(["approval-failed"]);
    second.withdraw("cancelled", "no matter");
    expect(gate.pending).toEqual([{ type: "approval", id: "call-1", call: askedCall({ name: "read" }) }]);
    expect(gate.decide("call-1", true)).toEqual(BY_REPLY);
    expect([first.rulings, leftovers()]).toEqual([[BY_REPLY], NOTHING_OPEN]);
    expect(gate.decide("call-1", false)).toEqual(BY_REPLY);
  });

  test("of nobody are not open", () => {
    const { gate } = gateRig();
    gate.idFor("a");
    expect(gate.isOpen("a")).toBe(false);
    expect(codeOf(thrownBy(() => gate.decide("a", true)))).toBe("invalid-input");
  });
});

test.each<{ how: string; changes: AskChanges }>([
  { how: "denied", changes: {} },
  { how: "allowed", changes: { isHandled: true } },
])("a call that is $how without asking is decided before `ask` returns, and is never open", ({ changes }) => {
  const { ask, told, leftovers } = gateRig();
  const { rulings, withdraw } = ask(changes);
  expect(rulings).toHaveLength(1);
  withdraw("disconnected", "the link is lost");
  expect([rulings.length, told.opened, leftovers()]).toEqual([1, [], NOTHING_OPEN]);
});
