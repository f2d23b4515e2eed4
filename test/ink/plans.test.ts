import { describe, expect, test } from "vitest";
import { listOf } from "../../src/universal/transcript/list.ts";
import type { ChatPart } from "../../src/universal/transcript/message.ts";
import type { PlanEntry } from "../../src/universal/transcript/transcript.ts";
import { ClockedScreen } from "./clocked-screen.ts";

/** ms; some frames. */
const MOMENT = 200;

const plan = (...states: readonly PlanEntry["status"][]): readonly PlanEntry[] =>
  states.map((status, at) => ({ content: `step ${at}`, status }));
const said = (text: string, open: boolean): ChatPart => ({ type: "text", id: "t", text, open });

describe("a plan", () => {
  test("is printed as one block when it changes, and ticks", async () => {
    const screen = new ClockedScreen();
    screen.says([said("Here.", false)]);
    screen.set({ plan: plan("in_progress", "pending") });
    await screen.after(MOMENT);
    screen.set({ plan: plan("in_progress", "pending") }); // the same again
    await screen.after(MOMENT);
    screen.set({ plan: plan("completed", "in_progress") });
    await screen.after(MOMENT);
    expect(screen.printed).toBe(
      [
        ...["", "Here."],
        ...["", "Plan 0 of 2 done", "  * step 0", "  - step 1"],
        ...["", "Plan 1 of 2 done", "  + step 0", "  * step 1"],
      ].join("\n"),
    );
  });

  test("does not stand inside a text that is printed in part", async () => {
    const screen = new ClockedScreen();
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`);
    screen.says([said(lines.join("\n"), true)]);
    await screen.after(MOMENT);
    expect(screen.printed).toContain("line 0");
    screen.set({ plan: plan("pending") });
    await screen.after(MOMENT);
    expect(screen.printed).not.toContain("Plan");
    screen.says([said(lines.join("\n"), false)]);
    await screen.after(MOMENT);
    expect(screen.printed).toMatch(/line 59\n\nPlan 0 of 1 done\n {2}- step 0$/);
  });

  test.each([40, 80, 200])(
    "that is long shows the steps around the current one, on %i columns",
    async (columns) => {
      const screen = new ClockedScreen({ size: { columns, rows: 24 } });
      const long = Array.from(
        { length: 30 },
        (_, at): PlanEntry => ({
          content: `step ${at} \u001b[31m${"and more ".repeat(40)}`,
          status: at < 10 ? "completed" : "pending",
        }),
      );
      screen.set({ plan: long });
      await screen.after(MOMENT);
      const rows = screen.printed.split("\n");
      expect(rows.slice(1, 5).map((row) => row.slice(0, 18))).toEqual([
        "Plan 10 of 30 done",
        "  ... 9 more befor",
        "  + step 9 and mor",
        "  - step 10 and mo",
      ]);
      expect(rows.at(-1)).toBe("  ... 9 more after");
      for (const row of rows) expect(row.length).toBeLessThanOrEqual(columns);
    },
  );
});

describe("a sub-agent", () => {
  const agent = (state: "running" | "done", parts: readonly ChatPart[]): ChatPart => ({
    type: "subagent",
    id: "s",
    agentType: "picker",
    name: "Picker",
    state,
    parts: listOf(parts),
  });

  test("is folded to its head and what it does, and Ctrl-O prints all of it", async () => {
    const screen = new ClockedScreen();
    const inner: readonly ChatPart[] = [said("**found** it\nin src", false)];
    screen.says([agent("running", inner)]);
    expect(await screen.after(MOMENT)).toMatch(/^\* Picker works \(1 step\)\n {2}\| in src\n/);
    screen.says([agent("done", inner)]);
    await screen.after(MOMENT);
    expect(screen.printed).toBe("\n+ Picker is done (1 step)");
    screen.press("ctrl-o");
    await screen.after(MOMENT);
    expect(screen.printed).toMatch(
      /What Picker did:\n\+ Picker is done \(1 step\)\n {2}\*\*found\*\* it\n {2}in src$/,
    );
  });

  const call = { callId: "c", output: "", content: [], input: {}, state: "running" } as const;

  test.each<[string, ChatPart, string]>([
    ["text", said("one\ntwo", true), "two"],
    ["reasoning", { type: "reasoning", id: "1", text: "", visibility: "public", open: true }, "thinking"],
    ["a call", { ...call, type: "tool", id: "1", name: "grep" }, "grep runs"],
    [
      "a question",
      {
        type: "question",
        id: "1",
        status: "requested",
        questions: [{ question: "Which?", options: [], multi_select: false }],
        answers: [],
      } as ChatPart,
      "Which?",
    ],
    ["another sub-agent", agent("running", [said("deep", true)]), "Picker: deep"],
    ["one that is done", agent("done", [said("deep", false)]), "Picker"],
    [
      "a file that it wrote",
      { type: "file", id: "1", path: "a.ts", mediaType: null, action: "write" },
      "a.ts",
    ],
    ["a file that it shows", { type: "file", id: "1", path: "b.ts", mediaType: null }, "b.ts"],
    [
      "a status",
      { type: "status", id: "1", label: "retrying", detail: "again in 2 s" } as ChatPart,
      "again in 2 s",
    ],
    ["a status without words", { type: "status", id: "1", label: "retrying" } as ChatPart, "retrying"],
    ["an error", { type: "error", id: "1", message: "It\nbroke.", code: "x" }, "broke."],
  ])("shows what it does last: %s", async (_, part, words) => {
    const screen = new ClockedScreen();
    screen.says([agent("running", [part])]);
    expect((await screen.after(MOMENT)).split("\n")[1]).toMatch(
      new RegExp(`^ {2}\\| .*${words.replaceAll(/[?.]/g, "\\$&")}`, "i"),
    );
  });
});
