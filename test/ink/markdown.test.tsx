import { renderToString } from "ink";
import { describe, expect, test } from "vitest";
import { defaultTheme, Message, plainTheme, type Theme } from "../../src/ink/components/exports.ts";
import type { Highlighter } from "../../src/screens/highlight.ts";
import { listOf } from "../../src/universal/transcript/list.ts";
import type { ChatMessage, ChatPart } from "../../src/universal/transcript/message.ts";
import { ClockedScreen } from "./clocked-screen.ts";

const WIDTHS = [40, 80, 200] as const;

interface Look {
  readonly columns?: number;
  readonly theme?: Theme;
  readonly highlight?: Highlighter;
}

function message(parts: readonly ChatPart[], role: ChatMessage["role"] = "assistant"): ChatMessage {
  return { id: "m", role, status: role === "user" ? "sent" : "open", startedAt: 0, parts: listOf(parts) };
}

/** The rows of an answer. */
function rowsOf(text: string, { columns = 80, ...look }: Look = {}, role?: "user"): readonly string[] {
  const parts: readonly ChatPart[] = [{ type: "text", id: "t", text, open: true }];
  const element = <Message message={message(parts, role)} columns={columns} theme={plainTheme} {...look} />;
  return renderToString(element, { columns }).split("\n");
}

describe.each(WIDTHS)("Markdown on %i columns", (columns) => {
  const rows = (text: string): readonly string[] => rowsOf(text, { columns });

  test("has headings, lists in lists, tasks, quotes and rules", () => {
    const text = [
      ...["# Title", "Text.", "", "- one", "  - inner", "- [x] done", "- [ ] open", ""],
      ...["9. nine", "10. ten", "", "> quoted", ">", "> - more", "", "---", "end"],
    ].join("\n");
    expect(rows(text)).toEqual([
      ...["# Title", "Text.", "", "- one", "  - inner", "[x] done", "[ ] open", ""],
      ...["9. nine", "10. ten", "", "| quoted", "|", "| - more", "", "-".repeat(32), "", "end"],
    ]);
  });

  test("keeps the line breaks of the agent, and wraps long lines at words", () => {
    const line = Array.from({ length: 60 }, (_, at) => `word${at}`).join(" ");
    const shown = rows(`first\nsecond\n\n${line}`);
    expect(shown.slice(0, 3)).toEqual(["first", "second", ""]);
    expect(shown.slice(3).join(" ")).toBe(line);
    for (const row of shown) expect(row.length).toBeLessThanOrEqual(columns);
  });

  test("shows the marks of emphasis and of code without colours, and the URL behind a link", () => {
    const text =
      "**bold** *it* ~~no~~ `code` [site](https://example.com/a) ![cat](https://example.com/c.png)";
    expect(rows(text).join(" ")).toBe(
      "**bold** *it* ~~no~~ `code` site (https://example.com/a) [cat] (https://example.com/c.png)",
    );
    expect(rows("<https://example.com>").join("")).toBe("https://example.com");
  });

  test("indents code below the name of its language, and omits no character of it", () => {
    const long = `const x = "${"y".repeat(columns)}";`;
    const shown = rows(`Look:\n\n\`\`\`ts\nif (a) {\n  b();\n}\n${long}\n\`\`\`\n`);
    expect(shown.slice(0, 6)).toEqual(["Look:", "", "  ts", "  if (a) {", "    b();", "  }"]);
    expect(
      shown
        .slice(6)
        .map((row) => row.slice(2))
        .join(""),
    ).toBe(long);
  });

  test("has tables that fit, or a list of cells", () => {
    const table =
      "| Name | Size | About |\n|:--|--:|---|\n| a.ts | 12 | a file of some kind |\n| b | 1,000 | b |";
    const shown = rows(table);
    for (const row of shown) expect(row.length).toBeLessThanOrEqual(columns);
    expect(shown.slice(0, 3)).toEqual([
      "Name |  Size | About",
      "-".repeat(34),
      "a.ts |    12 | a file of some kind",
    ]);
    const wide = `|${" head |".repeat(9)}\n|${"---|".repeat(9)}\n|${" some longer cell |".repeat(9)}`;
    const cells = rows(wide);
    for (const row of cells) expect(row.length).toBeLessThanOrEqual(columns);
    if (columns === 40)
      expect(cells.slice(0, 2)).toEqual(["- head: some longer cell", "  head: some longer cell"]);
    else if (columns === 200) expect(cells[0]).toMatch(/^head\s+\| head/);
    expect(cells.join(" ").match(/longer/g)).toHaveLength(9);
  });
});

test("a cell that is too wide is wrapped inside its column", () => {
  const table = "| A | B |\n|---|---|\n| one two three four five six seven eight | x |";
  expect(rowsOf(table, { columns: 24 })).toEqual([
    "A                    | B",
    "-".repeat(24),
    "one two three four   | x",
    "five six seven eight |",
  ]);
});

test("a prompt of the user stays plain text", () => {
  expect(rowsOf("# no *heading*\n- x", {}, "user")).toEqual(["> # no *heading*", "  - x"]);
});

describe("a theme with colours", () => {
  const shown = (text: string, highlight?: Highlighter): readonly string[] =>
    rowsOf(text, { theme: defaultTheme, ...(highlight ? { highlight } : {}) });

  test("has styles instead of marks", () => {
    expect(shown("# T\n**bold** *it* ~~no~~ `code`")).toEqual(["T", "bold it no code"]);
  });

  test("colours code by the app's highlighter, if its pieces are the code", () => {
    const given: [string, string][] = [];
    const highlight: Highlighter = (code, language) => {
      given.push([code, language]);
      return [
        { text: code.slice(0, 3), kind: "keyword" },
        { text: code.slice(3), kind: "plain" },
      ];
    };
    expect(shown("```js\nlet a\nb\n```", highlight)).toEqual(["  js", "  let a", "  b"]);
    expect(given).toEqual([["let a\nb", "js"]]);
    given.length = 0;
    const long = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
    expect(shown(`\`\`\`js\n${long}\n\`\`\``, highlight)).toEqual([
      "  js",
      ...long.split("\n").map((line) => `  ${line}`),
    ]);
    expect(given.at(-1)).toEqual([long, "js"]);
    const other: Highlighter = () => [{ text: "rm -rf", kind: "plain" }];
    expect(shown("```js\nlet a\n```", other)).toEqual(["  js", "  let a"]);
  });
});

describe("no escape sequence of an agent reaches the terminal", () => {
  const HOSTILE = ["\u001b[31m", "\u001b]8;;http://x\u0007", "\u009b2J", "\u202e", "\u0007", "&#27;[2J"];

  test.each([
    ["a paragraph", (x: string) => `a${x}b`],
    ["emphasis", (x: string) => `**a${x}b** *${x}*`],
    ["a link", (x: string) => `[a${x}](http://x${x}) ![${x}](data:${x})`],
    ["code", (x: string) => `\`a${x}\`\n\n\`\`\`j${x}s\na${x}b\n\`\`\``],
    ["a table", (x: string) => `| a${x} | b |\n|---|---|\n| ${x} | ${x}c |`],
    ["a list in a quote", (x: string) => `> - a${x}\n> - [x] ${x}b`],
    ["a heading", (x: string) => `# a${x}`],
  ] as const)("in %s", async (_, text) => {
    for (const hostile of HOSTILE)
      for (const columns of WIDTHS) {
        const screen = new ClockedScreen({ size: { columns, rows: 24 } }); // rows as they are: Ink removes some sequences
        screen.says([{ type: "text", id: "t", text: text(hostile), open: false }]);
        await screen.after(1_000);
        expect(screen.printed).toMatch(/a/);
        expect(screen.printed.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
      }
  });
});
