import { renderToString } from "ink";
import { describe, expect, test } from "vitest";
import type { ChatPending } from "../../src/chat/pending.ts";
import { Approval, Message, plainTheme, ToolCall } from "../../src/ink/components/exports.ts";
import { listOf } from "../../src/universal/transcript/list.ts";
import type { ChatPart, ChatToolPart } from "../../src/universal/transcript/message.ts";
import { ClockedScreen } from "./clocked-screen.ts";

/** Longer than a dialog waits before it takes keys. */
const PAUSE = 1_000;

const context = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => ` line ${from + at}`);

const DIFF = [
  "--- a/src/a.ts",
  "+++ b/src/a.ts",
  "@@ -1,22 +1,23 @@",
  ...context(1, 9),
  "-old line",
  "+new line",
  "+another line",
  ...context(11, 22),
].join("\n");

const call: ChatToolPart = {
  type: "tool",
  id: "c",
  callId: "c",
  name: "edit",
  input: { path: "src/a.ts" },
  state: "done",
  output: "",
  content: [],
  preview: [{ path: "src/a.ts", diff: DIFF, by: "tool" }],
};

function rowsOf(part: ChatPart, columns: number): readonly string[] {
  const message = {
    id: "m",
    role: "assistant",
    status: "open",
    startedAt: 0,
    parts: listOf([part]),
  } as const;
  const element = <Message message={message} theme={plainTheme} columns={columns} />;
  return renderToString(element, { columns }).split("\n");
}

const UNIFIED = [
  "  | - 6 unchanged lines",
  "  |  7   line 7",
  "  |  8   line 8",
  "  |  9   line 9",
  "  | 10 - old line",
  "  | 10 + new line",
  "  | 11 + another line",
  "  | 12   line 11",
  "  | 13   line 12",
  "  | 14   line 13",
  "  | - 9 unchanged lines",
].map((row) => row.replace("| - ", "|    - "));

describe("a diff in the transcript", () => {
  test.each([40, 80])("has numbers and marks, and folds unchanged lines, on %i columns", (columns) => {
    const file: ChatPart = {
      type: "file",
      id: "f",
      path: "src/a.ts",
      mediaType: null,
      action: "patch",
      diff: DIFF,
    };
    expect(rowsOf(file, columns)).toEqual(["changed src/a.ts", ...UNIFIED]);
    expect(rowsOf(call, columns).slice(2)).toEqual(["  | The change of src/a.ts:", ...UNIFIED]);
  });

  test.each([120, 200])("has two columns on %i columns", (columns) => {
    const shown = rowsOf(call, columns).slice(3);
    expect(shown.map((row) => row.replaceAll(/ +/g, " "))).toEqual([
      " | - 6 unchanged lines",
      " | 7 line 7 | 7 line 7",
      " | 8 line 8 | 8 line 8",
      " | 9 line 9 | 9 line 9",
      " | 10 - old line | 10 + new line",
      " | | 11 + another line",
      " | 11 line 11 | 12 line 11",
      " | 12 line 12 | 13 line 12",
      " | 13 line 13 | 14 line 13",
      " | - 9 unchanged lines",
    ]);
    expect(new Set(shown.slice(1, -1).map((row) => row.indexOf("|", 4))).size).toBe(1);
    for (const row of shown) expect(row.length).toBeLessThanOrEqual(columns);
  });

  test("says whose claim a change is", () => {
    const part: ChatToolPart = {
      ...call,
      preview: [{ path: "b", diff: "@@ -1 +1 @@\n-a\n+b", by: "agent" }],
    };
    expect(rowsOf(part, 80).slice(2)).toEqual([
      "  | The change of b, as the agent states it:",
      "  | 1 - a",
      "  | 1 + b",
    ]);
  });

  test("counts the lines that it does not show, and has all of them if unfolded", () => {
    const diff = `@@ -1,0 +1,5000 @@\n${Array.from({ length: 5_000 }, (_, at) => `+added ${at}`).join("\n")}`;
    const part: ChatToolPart = { ...call, preview: [{ path: "b", diff, by: "tool" }] };
    const shown = rowsOf(part, 80);
    expect(shown.slice(-2)).toEqual(["  |   19 + added 18", "  | ... 4981 more lines"]);
    const all = renderToString(<ToolCall part={part} folded={false} theme={plainTheme} columns={80} />);
    expect(all.match(/added/g)).toHaveLength(5_000);
  });
});

describe("an approval", () => {
  const pending = (diff: string): ChatPending => ({
    type: "approval",
    id: "a",
    tool: "edit",
    input: { path: "src/a.ts" },
    preview: [{ path: "src/a.ts", diff, by: "agent" }],
  });
  const shownBy = (diff: string, columns: number): readonly string[] => {
    const element = (
      <Approval
        pending={pending(diff) as never}
        onDecide={() => {}}
        isActive={false}
        theme={plainTheme}
        columns={columns}
      />
    );
    return renderToString(element, { columns }).split("\n");
  };

  test.each([40, 80, 200])(
    "shows each line of the change, also the unchanged ones, on %i columns",
    (columns) => {
      const shown = shownBy(DIFF, columns);
      expect(shown[2]).toBe("What it would change:");
      expect(shown[3]).toBe("  src/a.ts, as the agent states it:");
      for (const line of [...context(1, 9), "old line", "new line", "another line", ...context(11, 22)])
        expect(shown.join("\n")).toContain(line.trim());
      for (const row of shown) expect(row.length).toBeLessThanOrEqual(columns);
    },
  );

  test.each([40, 80, 200])(
    "hides nothing of a change that is no diff, or is about another file (%i columns)",
    (columns) => {
      for (const [diff, wanted] of [
        ["(the file is too large)", "(the file is too large)"],
        ["--- a/etc/passwd\n+++ b/etc/passwd\n@@ -1 +1 @@\n-a\n+b", "etc/passwd"],
        ["+rm -rf\nwhat this is", "what this is"],
        ["@@ -1 +1 @@ rm -rf\n-a\n+b", "rm -rf"],
        ["@@ -1 +1 @@\n-a\n+\u001b[8mb\u202e", "\\u{1b}[8mb\\u{202e}"],
      ] as const)
        expect(shownBy(diff, columns).join("\n"), diff).toContain(wanted);
    },
  );

  test("prints a tall change above itself, completely and once", async () => {
    const diff = `@@ -1,0 +1,300 @@\n${Array.from({ length: 300 }, (_, at) => `+added ${at};`).join("\n")}`;
    const screen = new ClockedScreen({ size: { columns: 80, rows: 24 } });
    screen.set({ pending: [pending(diff)] });
    expect(await screen.after(PAUSE)).toMatch(/^\? Allow edit\? Its input is above/);
    for (let at = 0; at < 300; at++) expect(screen.printed.split(` + added ${at};`)).toHaveLength(2);
    const approval = { id: "a", status: "accept" } as const;
    const preview = [{ path: "src/a.ts", diff, by: "agent" }] as const;
    screen.set({ pending: [] });
    screen.says([{ ...call, approval, preview }]);
    await screen.after(PAUSE);
    expect(screen.printed).toContain("(its input is above)");
    expect(screen.printed.split(" + added 0;")).toHaveLength(2);
  });
});
