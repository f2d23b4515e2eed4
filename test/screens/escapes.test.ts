import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { previewRows } from "../../src/ink/dialogs/preview-rows.ts";
import { markdownRows } from "../../src/ink/markdown/markdown-rows.ts";
import { diffRows } from "../../src/ink/parts/diff-rows.ts";
import type { Row } from "../../src/ink/rows/row.ts";
import { defaultTheme, plainTheme } from "../../src/ink/theme.ts";
import { MarkdownPrinter } from "../../src/ink/transcript/markdown-printer.ts";
import { isWide, PATIENCE, runs } from "../helpers/runs.ts";
import { chunksOf } from "./support/texts.ts";

/** What moves a cursor, paints over lines, writes to the clipboard or answers in the user's name; whole and in parts. */
const ESCAPES = [
  "\u001b[2J",
  "\u001b[31m",
  "\u001b[1A\u001b[2K",
  "\u001b[6n",
  "\u001b[?1049h",
  "\u001b[38;2;1;2;3m",
  "\u001b]0;title\u0007",
  "\u001b]52;c;aGk=\u0007",
  "\u001b]8;;https://evil.test\u001b\\a\u001b]8;;\u001b\\",
  "\u001bP+q544e\u001b\\",
  "\u001b_Ga=T\u001b\\",
  "\u001bX a \u001b\\",
  "\u001b^ a \u001b\\",
  "\u001bc",
  "\u001b(0",
  "\u001b7\u001b8",
  "\u001b",
  "\u001b[",
  "\u001b]",
  "\u009b2J",
  "\u009d0;a\u009c",
  "\u0090a\u009c",
  "\u0007",
  "\b\b\b",
  "\u007f",
  "\r",
  "\u000b",
  "\u000c",
  "\u0000",
  "\u000e\u000f",
  "\u202e",
  "\u2066a\u2069",
  "\u200b",
  "\ufeff",
  "\u{e0041}",
  "&#27;[2J",
  "&#x1b;]0;a&#7;",
  "&#155;2J",
  "&#x202e;",
  "&#8238;",
  "\\\u001b[2J",
  "\u001b\\[2J",
  "\u001b*[2J*",
  "\u001b**[**31m",
  "\u001b`[2J`",
  "\u001b<b>[2J",
  "\u001b\n[2J",
  "\u001b|[2J",
] as const;

/** Every place in Markdown where a text can stand. `#` is the place. */
const PLACES = [
  "#",
  "a # b",
  "*#*",
  "**#**",
  "~~#~~",
  "`#`",
  "``#`",
  "**#",
  "`#",
  "# #",
  "#\n===",
  "> #",
  "> > #\n#",
  "- #",
  "1. #\n   #",
  "- [x] #",
  "- #\n  - #",
  "```#\n#\n```",
  "```ts\n#\n#",
  "~~~ # #\n#\n~~~",
  "    #",
  "| # | b |\n|---|---|\n| # | # |",
  "| a |\n|#---|\n| # |",
  "[#](https://a.b)",
  "[a](#)",
  "[a](https://a.b/#)",
  "[a](<#>)",
  '[a](https://a.b "#")',
  "![#](#)",
  "![a](data:#)",
  "[![#](#)](#)",
  "<https://a.b/#>",
  "<a@#.b>",
  "https://a.b/#",
  "<b #>#</b>",
  "&#",
  "\\#",
  "---#",
  "#\n#",
  "#  \n#",
  "* * *#",
  "@@ -1,2 +1,2 @@ #\n-#\n+#\n #",
  "--- #\n+++ #\n@@ -1 +1 @@\n-#\n\\ #",
  "+#\n-#",
] as const;

/** Each `#` is another escape. A letter in an escape may be split by the chunks. */
const hostile = fc
  .tuple(
    fc.array(fc.constantFrom(...PLACES), { minLength: 1, maxLength: 3 }),
    fc.array(fc.constantFrom(...ESCAPES, "word", "字", "#"), { minLength: 1, maxLength: 6 }),
    fc.constantFrom("\n", "\n\n", " ", ""),
  )
  .map(([places, escapes, between]) => {
    let at = 0;
    return places.join(between).replaceAll("#", () => escapes[at++ % escapes.length] ?? "");
  });

const HANG = { text: "  ", tone: "dim" } as const;

const textOf = (rows: readonly Row[]): string => rows.flatMap((row) => row.map(({ text }) => text)).join("");

/** Controls, halves of characters, and what changes the direction of a text or ends a line. */
function isUnsafe(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000);
  const isDirection = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return isControl || isDirection || code === 0x2028 || code === 0x2029;
}

function expectSafe(rows: readonly Row[]): void {
  const text = textOf(rows);
  if ([...text].some(isUnsafe)) expect.fail(`rows have ${JSON.stringify(text)}`);
}

/** 200,000 texts in `npm run full`; a twentieth in `npm test`. */
const texts = (all: number) => runs(isWide ? all : all / 5);

describe("no escape sequence of an agent is in the rows", () => {
  test.each([
    ["with colours", defaultTheme],
    ["without", plainTheme],
  ] as const)(
    "of a Markdown text %s, whole or while it comes",
    (_, theme) => {
      fc.assert(
        fc.property(
          hostile,
          fc.array(fc.nat({ max: 300 }), { maxLength: 4 }),
          fc.constantFrom(20, 80, 200),
          (text, places, columns) => {
            const surface = { columns, theme };
            expectSafe(markdownRows(text, surface));
            const printer = new MarkdownPrinter();
            let come = "";
            const sink = {
              ...surface,
              foldsReasoning: false,
              hasCommands: true,
              inputsAbove: new Set<string>(),
              now: 0,
              tailRows: 4,
              space: 100,
              print: expectSafe,
              fold: () => undefined,
            };
            for (const chunk of chunksOf(text, places)) {
              come += chunk;
              printer.feed(come, false);
              printer.print(sink);
              expectSafe(printer.live(surface, 8));
            }
            printer.feed(come, true);
            printer.print(sink);
          },
        ),
        texts(85_000),
      );
    },
    PATIENCE,
  );

  test(
    "of a diff, in the transcript and before a decision",
    () => {
      fc.assert(
        fc.property(hostile, fc.constantFrom(40, 130), (text, columns) => {
          const surface = { columns, theme: defaultTheme };
          expectSafe(diffRows(text, { ...surface, path: text, hang: HANG }).rows);
          expectSafe(previewRows([{ path: text, diff: text, by: "agent" }], "  ", surface));
        }),
        texts(30_000),
      );
    },
    PATIENCE,
  );
});
