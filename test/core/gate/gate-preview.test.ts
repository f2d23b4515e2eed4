import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/core/deferred.ts";
import type { Asking } from "../../../src/core/gate/gate.ts";
import { PREVIEW_TIMEOUT } from "../../../src/core/gate/preview.ts";
import {
  limitPreview,
  MAX_PREVIEW,
  MAX_PREVIEW_FILES,
  MAX_PREVIEW_TEXT,
} from "../../../src/core/gate/preview-limits.ts";
import type { ToolPreview } from "../../../src/core/values.ts";
import { gateRig, NOTHING_OPEN, rule } from "../support/gate.ts";
import { settle, unhandledDuring } from "../support/promises.ts";
import { IDLE, turnRig } from "../support/turns.ts";

const DIFF: readonly ToolPreview[] = [{ path: "a.txt", diff: "@@ -1,1 +1,1 @@\n-a\n+b\n", by: "tool" }];

describe("a call whose tool has a preview", () => {
  test("opens when the preview is ready, and shows it to the callback, the listeners and `pending`", async () => {
    const later = deferred<readonly ToolPreview[]>();
    const seen: unknown[] = [];
    const { gate, told, ask } = gateRig({
      onToolApproval: ({ preview }) => {
        seen.push(preview);
        return new Promise<boolean>(() => {});
      },
    });
    ask({ tell: () => later.promise });
    await settle();
    expect([gate.pending, told.opened, seen]).toEqual([[], [], []]);
    later.resolve(DIFF);
    await settle();
    expect(gate.pending).toMatchObject([{ id: "call-1", call: { name: "read", preview: DIFF } }]);
    expect([told.opened, seen]).toEqual([gate.pending, [DIFF]]);
    expect(told.opened[0]).toBe(gate.pending[0]);
  });

  test.each<{ how: string; tell: Asking["preview"]; warns: readonly string[] }>([
    { how: "returns undefined", tell: () => undefined, warns: [] },
    { how: "returns an empty list", tell: () => [], warns: [] },
    {
      how: "throws",
      tell: () => {
        throw new Error("mine");
      },
      warns: ["the preview of read failed: Error: mine"],
    },
    {
      how: "rejects",
      tell: () => Promise.reject(new Error("mine")),
      warns: ["the preview of read failed: Error: mine"],
    },
    {
      how: "returns a string",
      tell: (() => "a diff") as unknown as Asking["preview"],
      warns: [expect.stringContaining("the preview is a string")],
    },
    {
      how: "returns a list with holes",
      tell: () => new Array<ToolPreview>(2),
      warns: [expect.stringContaining("the preview is an array")],
    },
    {
      how: "returns an entry without `by`",
      tell: (() => [{ path: "a", diff: "" }]) as unknown as Asking["preview"],
      warns: [expect.stringContaining('Return a list of { path, diff, by: "tool" }')],
    },
  ])("opens without a preview if the tool $how", async ({ tell, warns }) => {
    const { gate, told, ask, clock } = gateRig({ onToolApproval: "manual" });
    ask({ tell });
    expect(await unhandledDuring(settle)).toEqual([]);
    expect(gate.pending).toMatchObject([{ id: "call-1", call: { name: "read" } }]);
    expect(gate.pending[0]).not.toHaveProperty("call.preview");
    expect(told.warnings.map(({ kind, message }) => [kind, message])).toEqual(
      warns.map((message) => ["preview-failed", message]),
    );
    expect(clock.pending).toBe(0);
  });

  test(`opens without a preview after ${PREVIEW_TIMEOUT} ms, and drops a late preview`, async () => {
    const later = deferred<readonly ToolPreview[]>();
    let signal: AbortSignal | undefined;
    const { gate, told, ask, clock } = gateRig({ onToolApproval: "manual", approvalTimeout: 10 });
    const { rulings } = ask({
      tell: (_, context) => {
        signal = context.signal;
        return later.promise;
      },
    });
    await clock.advance(PREVIEW_TIMEOUT - 1);
    expect([gate.pending.length, signal?.aborted]).toEqual([0, false]);
    await clock.advance(1);
    expect([gate.pending.length, signal?.aborted]).toEqual([1, true]);
    expect(told.warnings).toMatchObject([
      { kind: "preview-failed", message: `the preview of read took more than ${PREVIEW_TIMEOUT} ms` },
    ]);
    later.resolve(DIFF);
    await settle();
    expect(gate.pending[0]).not.toHaveProperty("call.preview");
    await clock.advance(9);
    expect(rulings).toEqual([]); // the limit of the user begins with the question
    await clock.advance(1);
    expect(rulings).toMatchObject([{ decision: "reject", by: "timeout" }]);
  });

  test("is settled once if its turn ends during the preview: no request opens, the signal aborts", async () => {
    const later = deferred<readonly ToolPreview[]>();
    let signal: AbortSignal | undefined;
    const { told, ask, leftovers } = gateRig({ onToolApproval: () => true });
    const { rulings, withdraw } = ask({
      tell: (_, context) => {
        signal = context.signal;
        return later.promise;
      },
    });
    withdraw("cancelled", "its turn was cancelled");
    withdraw("disconnected", "too late");
    later.resolve(DIFF);
    await settle();
    expect(rulings).toEqual([{ decision: "reject", by: "cancelled", reason: "its turn was cancelled" }]);
    expect([told.opened, told.settled.length, signal?.aborted]).toEqual([[], 1, true]);
    expect(leftovers()).toEqual(NOTHING_OPEN);
  });

  test("does not open if its turn is being cancelled", async () => {
    const later = deferred<readonly ToolPreview[]>();
    const { turn } = turnRig();
    const { told, ask } = gateRig({ onToolApproval: "manual" });
    const { rulings } = ask({ turn, tell: () => later.promise });
    void turn.cancel();
    later.resolve(DIFF);
    await settle();
    expect([rulings, told.opened]).toMatchObject([[{ decision: "reject", by: "cancelled" }], []]);
  });

  test("is allowed if the user decides `always` for the tool during the preview", async () => {
    const later = deferred<readonly ToolPreview[]>();
    const { gate, ask } = gateRig({ onToolApproval: "manual" });
    const first = ask({ id: "call-1" });
    const second = ask({ id: "call-2", tell: () => later.promise });
    gate.decide("call-1", "always");
    later.resolve(DIFF);
    await settle();
    expect([first.rulings, second.rulings, gate.pending]).toMatchObject([
      [{ decision: "always", by: "reply" }],
      [{ decision: "always", by: "session" }],
      [],
    ]);
  });

  test.each<{ how: string; options: Parameters<typeof gateRig>[0] }>([
    { how: "a rule allows", options: { toolPolicy: [rule("read", "allow")], onToolApproval: "manual" } },
    { how: "a rule denies", options: { toolPolicy: [rule("read", "deny")], onToolApproval: "manual" } },
    { how: "no approver is given", options: {} },
  ])("makes no preview if $how", async ({ options }) => {
    let previews = 0;
    const { ask } = gateRig(options);
    const { rulings } = ask({ tell: () => void previews++ });
    await settle();
    expect([rulings.length, previews]).toEqual([1, 0]);
  });

  test("pauses its turn's idle timer during the preview", async () => {
    const later = deferred<readonly ToolPreview[]>();
    const { turn, clock } = turnRig();
    const { gate, ask } = gateRig({ onToolApproval: "manual" });
    turn.sent();
    turn.push("a", 1);
    ask({ turn, tell: () => later.promise });
    await clock.advance(IDLE * 2);
    later.resolve(DIFF);
    await settle();
    expect([turn.status, gate.pending.length]).toEqual(["streaming", 1]);
  });
});

describe("the limits of a preview", () => {
  const LEFT_OUT = "[the rest of the diff is left out: it is too long]\n";
  const diffOf = (previews: readonly ToolPreview[]): readonly string[] => previews.map(({ diff }) => diff);

  test("a diff of 50 MB is cut after a whole line, with a note", () => {
    const line = `+${"x".repeat(99)}\n`;
    const [{ diff = "" } = {}] = limitPreview([{ path: "a", diff: line.repeat(500_000), by: "tool" }]);
    expect(diff.length).toBeLessThanOrEqual(MAX_PREVIEW);
    expect(diff.endsWith(`${line}${LEFT_OUT}`)).toBe(true);
  });

  test("a diff of one long line is replaced by a note", () => {
    expect(diffOf(limitPreview([{ path: "a", diff: "x".repeat(MAX_PREVIEW + 1), by: "tool" }]))).toEqual([
      LEFT_OUT,
    ]);
  });

  test("all diffs of a call share one limit", () => {
    const half = `${"x".repeat(MAX_PREVIEW / 2)}\n`;
    const given = Array.from({ length: 3 }, () => ({ path: "a", diff: half, by: "tool" }) as const);
    expect(diffOf(limitPreview(given))).toEqual([half, LEFT_OUT, LEFT_OUT]);
  });

  test(`of more than ${MAX_PREVIEW_FILES} files, the last one kept says how many are left out`, () => {
    const given = Array.from({ length: 150 }, (_, at) => ({ path: `${at}`, diff: "x", by: "tool" }) as const);
    const kept = limitPreview(given);
    expect([kept.length, kept.at(-1)]).toEqual([
      MAX_PREVIEW_FILES,
      { path: "99", diff: "[this file and 50 more are left out]\n", by: "tool" },
    ]);
  });

  test("`old_text` or `new_text` above 64 KiB of UTF-8 is left out, without the other", () => {
    const fits = "x".repeat(MAX_PREVIEW_TEXT);
    const long = "é".repeat(MAX_PREVIEW_TEXT / 2 + 1);
    expect(limitPreview([{ path: "a", diff: "", by: "agent", old_text: fits, new_text: long }])).toEqual([
      { path: "a", diff: "", by: "agent", old_text: fits },
    ]);
  });

  test("a preview within its limits stays unchanged", () => {
    const many = Array.from(
      { length: 150 },
      (_, at) => ({ path: `${at}`, diff: `${"x\n".repeat(2_000)}`, by: "tool" }) as const,
    );
    const once = limitPreview(many);
    expect(limitPreview(once)).toEqual(once);
  });
});
