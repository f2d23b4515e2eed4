import fc from "fast-check";
import { expect, test } from "vitest";
import { approvalInput } from "../../src/ink/dialogs/approval-dialog.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";

/** What looks like a field, like a mark of the rows, like a code, like JSON, or like nothing. */
const text = fc.string({
  unit: fc.constantFrom(
    ...[
      "\n",
      "description: ",
      "a",
      ":",
      " ",
      "  ",
      "> ",
      ">",
      "  | ",
      "? ",
      "\t",
      "→",
      "→   ",
      "(no input)",
      '"',
      "\\",
    ],
    ...[
      "{",
      "}",
      "[",
      "]",
      "1",
      "-",
      "true",
      "null",
      "\\n",
      "\\u{1b}",
      "\\u{20}",
      "\u001b",
      "\r",
      "\u2028",
      "\u200b",
    ],
    ...["\u202e", "\ud800", "\u115f", "e\u0301", "漢", "👍🏽", "\u1100", "x".repeat(30)],
  ),
  maxLength: 12,
});
const { input } = fc.letrec((tie) => ({
  input: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(text, text, fc.integer({ min: -2, max: 2 }), fc.boolean(), fc.constant(null)),
    fc.dictionary(text, tie("input"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie("input"), { maxLength: 3 }),
  ),
}));
const columns = fc.integer({ min: 1, max: 100 });

test(
  "the rows of an approval show its exact tool and input in a terminal of any width",
  () => {
    fc.assert(
      fc.property(text, input, columns, (tool, given, width) => {
        const rows = approvalInput(
          { type: "approval", id: "a", tool, input: given },
          { columns: width, theme: plainTheme },
        );
        const read = readRows(
          rows.map((row) => row.map((span) => span.text).join("")),
          width < 20 ? "" : "  | ",
        );
        expect(read.tool).toBe(tool);
        expect(JSON.stringify(read.input)).toBe(JSON.stringify(given));
      }),
      runs(3_000),
    );
  },
  PATIENCE,
);

/** What a person can tell from the rows. */
function readRows(
  rows: readonly string[],
  margin: string,
): { readonly tool: string; readonly input: unknown } {
  const hang = margin === "" ? "  " : "    ";
  const first = rows.findIndex((row, at) => at > 0 && !row.startsWith(hang));
  const [head = "", ...more] = rows.slice(0, first);
  const says = [head.slice(2), ...more.map((row) => row.slice(hang.length))].join("");
  const lines: string[] = [];
  for (const row of rows.slice(first).map((row) => row.slice(margin.length)))
    if (row.startsWith("  ")) lines.push(`${lines.pop()}${row.slice(2)}`);
    else lines.push(row);
  return {
    tool: unhidden(says.slice("The agent wants to use ".length)),
    input: readLines(lines.map(unhidden)),
  };
}

function unhidden(line: string): string {
  return line.replace(/→ {3}|\\u\{([0-9a-f]+)\}/g, (_, point) =>
    point === undefined ? "\t" : String.fromCodePoint(Number.parseInt(point, 16)),
  );
}

const FIELD = /^("(?:[^"\\]|\\.)*"|[\p{L}\p{N}_$.-]+):/su;

function readLines(lines: readonly string[]): unknown {
  const [first = ""] = lines;
  if (first === "(no input)") return {};
  if (first.startsWith(">")) return lines.map(below).join("\n");
  if (!FIELD.test(first)) return jsonOf([first, ...lines.slice(1).map(below)]);
  const begins = lines.flatMap((line, at) => (line.startsWith(">") ? [] : [at]));
  return Object.fromEntries(begins.map((at, index) => readField(lines.slice(at, begins[index + 1]))));
}

function readField([first = "", ...more]: readonly string[]): readonly [string, unknown] {
  const [front = "", name = ""] = FIELD.exec(first) ?? [];
  const said = first.slice(front.length + 1);
  const value =
    first === front
      ? more.map(below).join("\n")
      : more.length > 0
        ? jsonOf([said, ...more.map(below)])
        : jsonOr(said);
  return [name.startsWith('"') ? JSON.parse(name) : name, value];
}

function below(line: string): string {
  return line.slice(line === ">" ? 1 : 2);
}

/** JSON in several lines, whose texts have real line breaks and tabs. */
function jsonOf(lines: readonly string[]): unknown {
  const text = lines
    .join("\n")
    .replace(/"(?:[^"\\]|\\.)*"/gs, (quoted) => quoted.replaceAll("\n", "\\n").replaceAll("\t", "\\t"));
  return JSON.parse(text);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
