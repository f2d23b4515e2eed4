import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/core/deferred.ts";
import type { Decision, Ruling } from "../../../src/core/values.ts";
import { gateRig, NOTHING_OPEN } from "../support/gate.ts";
import { codeOf, settle, thrownBy, unhandledDuring } from "../support/promises.ts";

const NOBODY: Ruling = { decision: "reject", by: "policy", reason: "nobody is there to approve it" };

describe("the `onToolApproval` callback", () => {
  test.each<{ how: string; fail: () => Promise<Decision> }>([
    {
      how: "throws",
      fail: () => {
        throw new Error("mine");
      },
    },
    { how: "rejects", fail: () => Promise.reject(new Error("mine")) },
    {
      how: "returns a thenable that throws",
      fail: () =>
        new Proxy({} as Promise<Decision>, {
          get: () => {
            throw new Error("mine");
          },
        }),
    },
  ])("that $how denies once, with a warning", async ({ fail }) => {
    const { ask, told, leftovers } = gateRig({ onToolApproval: fail });
    const { rulings } = ask();
    expect(await unhandledDuring(settle)).toEqual([]);
    expect(rulings).toEqual([{ decision: "reject", by: "error", reason: "`onToolApproval` failed" }]);
    expect(told.warnings).toEqual([
      { kind: "approval-failed", message: "`onToolApproval` failed: Error: mine", cause: new Error("mine") },
    ]);
    expect(leftovers()).toEqual(NOTHING_OPEN);
  });

  test.each<{ how: string; finish: (later: ReturnType<typeof deferred<Decision>>) => void }>([
    { how: "an approval", finish: (later) => later.resolve("always") },
    { how: "no decision", finish: (later) => later.resolve(7 as never) },
    { how: "a failure", finish: (later) => later.reject(new Error("mine")) },
  ])("that ends with $how after a reply changes nothing and causes no warning", async ({ finish }) => {
    const later = deferred<Decision>();
    const { ask, gate, told } = gateRig({ onToolApproval: () => later.promise });
    const { rulings } = ask();
    gate.decide("call-1", { decision: "reject", reason: "no" });
    finish(later);
    expect(await unhandledDuring(settle)).toEqual([]);
    expect([rulings, told.warnings]).toEqual([[{ decision: "reject", by: "reply", reason: "no" }], []]);
    const next = ask({ id: "call-2" });
    expect(next.rulings, "a late `always` holds for nothing").toEqual([]);
  });
});

describe("a reply", () => {
  test.each<{ id: unknown; says: string }>([
    { id: "call-2", says: '"call-2"' },
    { id: "", says: '""' },
    { id: "x".repeat(5_000), says: `"${"x".repeat(100)}"` },
    { id: undefined, says: "undefined" },
    { id: 10n, says: "a bigint" },
    { id: { token: "secret" }, says: "an object" },
  ])("with an unknown id throws `invalid-input`: $says", ({ id, says }) => {
    const { ask, gate } = gateRig({ onToolApproval: "manual" });
    const { rulings } = ask();
    const error = thrownBy(() => gate.decide(id as string, "once"));
    expect([codeOf(error), String(error)]).toEqual([
      "invalid-input",
      expect.stringContaining(`nothing was asked with the id ${says}. `),
    ]);
    expect(rulings).toEqual([]);
  });

  test("decides while the callback runs, and aborts the callback's signal", async () => {
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

  test("gets the outcome of any of the last 256 settled requests", () => {
    const { ask, gate } = gateRig();
    for (let use = 0; use <= 256; use++) ask({ id: `call-${use}` });
    expect(gate.decide("call-1", true)).toEqual(NOBODY);
    expect(codeOf(thrownBy(() => gate.decide("call-0", true)))).toBe("invalid-input");
  });
});

describe("several open requests", () => {
  test("accept only their own method: `decide` for calls, `answer` for questions", () => {
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
});
