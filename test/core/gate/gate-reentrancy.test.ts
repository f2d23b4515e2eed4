import { describe, expect, test } from "vitest";
import type { GateHost } from "../../../src/core/gate/open-request.ts";
import type { ApprovalOptions } from "../../../src/core/gate/options.ts";
import type { Ruling } from "../../../src/core/values.ts";
import { askedCall, gateRig, NOTHING_OPEN, rule } from "../support/gate.ts";
import { settle } from "../support/promises.ts";
import { NOTHING_LEFT, turnRig } from "../support/turns.ts";

// What happens when the user's own code, or a protocol's, acts at the worst moment.

const BY_REPLY: Ruling = { decision: "once", by: "reply" };
const CANCELLED: Ruling = { decision: "reject", by: "cancelled", reason: "its turn is over" };

describe("a listener that decides as soon as it is notified", () => {
  test("on the client decides before the callback runs", async () => {
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
});

describe("a turn that is cancelled while its request opens", () => {
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
  ])("by $where: the call is denied", async ({ rigged, asks }) => {
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

  test("before its rule runs: the rule is skipped", () => {
    let asked = 0;
    const { turn, outbox, ask } = stoppable({ toolPolicy: [rule("read", "allow", () => asked++ < 9)] });
    const { rulings } = outbox.run(() => {
      outbox.tell(() => void turn.turn.cancel()); // of what came before in the same frame
      return ask({ turn: turn.turn });
    });
    expect([rulings, asked]).toEqual([[CANCELLED], 0]);
  });
});

describe("the `decided` hook", () => {
  test("that throws causes a warning, also after the callback decided", async () => {
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
});

describe("the ids of requests", () => {
  test("are the server's own at first, then get `~2`, `~3` for repeated ones", () => {
    const { gate } = gateRig();
    expect(["a", "a", "b", "a", "b"].map((native) => gate.idFor(native))).toEqual([
      "a",
      "a~2",
      "b",
      "a~3",
      "b~2",
    ]);
  });

  test("that are already open are refused, so that one reply cannot decide two calls", () => {
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
});
