// The changes that a call would make, completely.
import type { ToolPreview } from "../../core/values.ts";
import { diffLines } from "../../screens/diff.ts";
import { diffRows } from "../parts/diff-rows.ts";
import { type Row, rowsOf, type Span, type Surface } from "../rows/row.ts";
import type { Tone } from "../theme.ts";
import { oneLine, visible } from "./approval-choices.ts";

/**
 * All lines of the diffs. Hidden and control characters are shown as codes. A row that continues the previous row has
 * no line number, or no bar in front.
 */
export function previewRows(preview: readonly ToolPreview[], margin: string, surface: Surface): readonly Row[] {
  if (preview.length === 0) return [];
  const { columns } = surface;
  const hang: Span = { text: margin, tone: "warn" };
  const files = preview.flatMap(({ path, diff, by }) => {
    const says = by === "agent" ? ", as the agent states it:" : ":";
    const head = rowsOf(oneLine(path) + says, "strong", { columns, at: "hard", lead: INDENT, hang: BELOW });
    const rows = isWhole(diff, path)
      ? diffRows(diff, { ...surface, hang, folds: false, safe: visible }).rows
      : rawRows(diff, margin === "" ? { text: "> ", tone: "warn" } : hang, columns);
    return [...head, ...rows];
  });
  return [...rowsOf("What it would change:", "warn", { columns }), ...files];
}

const INDENT: Span = { text: "  ", tone: "strong" };
const BELOW: Span = { text: "    ", tone: "strong" };

/** The text of a diff as it is. */
function rawRows(diff: string, lead: Span, columns: number): readonly Row[] {
  const hang: Span = { text: " ".repeat(lead.text.length), tone: "plain" };
  return linesOf(diff).flatMap((line) =>
    rowsOf(visible(line), toneOf(line), { columns, at: "hard", lead, hang }),
  );
}

function toneOf(line: string): Tone {
  if (line.startsWith("+")) return "ok";
  return line.startsWith("-") ? "error" : "dim";
}

function linesOf(diff: string): readonly string[] {
  return diff.replace(/\n$/, "").split("\n");
}

const MARKS = { same: " ", added: "+", removed: "-" } as const;

/** Whether the parsed lines are all that the diff says, about this path. */
function isWhole(diff: string, path: string): boolean {
  const wanted = linesOf(diff).filter((line, at) => !HUNK.test(line) && !isHeader(line, at, path));
  const parsed = diffLines(diff).flatMap((line) =>
    line.type === "gap" ? [] : [{ text: MARKS[line.type] + line.text, number: line.after ?? line.before }],
  );
  return (
    parsed.length === wanted.length &&
    parsed.every(({ text, number }, at) => text === wanted[at] && number !== undefined)
  );
}

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;

/** Whether a line only repeats the path, or says that there is no file. */
function isHeader(line: string, at: number, path: string): boolean {
  if (at > 1) return false;
  const named = /^(?:---|\+\+\+) (?:[ab]\/)?(.*?)(?:\t.*)?$/.exec(line)?.[1];
  return named === path || named === "/dev/null" || line === "--- /dev/null" || line === "+++ /dev/null";
}
