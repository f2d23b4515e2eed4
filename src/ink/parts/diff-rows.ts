// The rows of a diff: one column, or two side by side.
import { type DiffLine, type DiffPair, diffLines, pairedLines } from "../../screens/diff.ts";
import { rowsOfLine } from "../rows/lines.ts";
import { displayed, type Row, rowWidth, type Span, type Surface } from "../rows/row.ts";
import type { Tone } from "../theme.ts";
import { countLines, moreRow } from "./folded.ts";

/** From these columns, the lines before and after stand side by side. */
const SIDE_BY_SIDE = 120;

/** Unchanged lines that stay before and after a change. More are folded. */
const CONTEXT = 3;

/** Examined characters of a diff that is folded: more than a fold can show. The rest is only counted. */
const MAX_LOOK = 20_000;

export interface DiffRowsOptions extends Surface {
  /** The prefix of each row. */
  readonly hang: Span;
  /** Maximum number of rows. A last row counts the other lines. @default Infinity */
  readonly maxRows?: number;
  /** Whether to fold long unchanged stretches. @default true */
  readonly folds?: boolean;
  /** Makes the text of a line safe. @default `displayed` */
  readonly safe?: (text: string) => string;
}

export interface DiffRows {
  readonly rows: readonly Row[];
  readonly isFolded: boolean;
}

/** The rows of a unified diff. A row of a line that goes on has no number. */
export function diffRows(diff: string, options: DiffRowsOptions): DiffRows {
  const { columns, hang, maxRows = Number.POSITIVE_INFINITY, folds = true } = options;
  const isLong = diff.length > MAX_LOOK && maxRows !== Number.POSITIVE_INFINITY;
  const end = isLong ? diff.lastIndexOf("\n", MAX_LOOK) + 1 || MAX_LOOK : diff.length;
  const all = diffLines(diff.slice(0, end));
  const lines = folds ? withoutLongContext(all) : all;
  const pairs = columns >= SIDE_BY_SIDE ? pairedLines(lines) : undefined;
  const width = numberWidth(all);
  const rows: Row[] = [];
  const count = pairs?.length ?? lines.length;
  for (let at = 0; at < count; at++) {
    const pair = pairs?.[at];
    const line = lines[at];
    const item = pair
      ? pairRows(pair, width, options)
      : line
        ? lineRows(line, width, [hang], columns, options)
        : [];
    const isLast = at === count - 1 && !isLong;
    if (rows.length + item.length > maxRows - (isLast ? 0 : 1))
      return { rows: [...rows, moreRow(hang, count - at + countLines(diff.slice(end)))], isFolded: true };
    for (const row of item) rows.push(row);
  }
  return isLong
    ? { rows: [...rows, moreRow(hang, countLines(diff.slice(end)))], isFolded: true }
    : { rows, isFolded: lines !== all };
}

const TONES = {
  same: "dim",
  added: "ok",
  removed: "error",
  gap: "dim",
} as const satisfies Readonly<Record<DiffLine["type"], Tone>>;

const MARKS = { same: " ", added: "+", removed: "-" } as const;

function lineRows(
  line: DiffLine,
  width: number,
  hang: Row,
  columns: number,
  { safe = displayed, theme }: DiffRowsOptions,
): readonly Row[] {
  const tone = TONES[line.type];
  const blank = " ".repeat(width);
  const number = line.type === "removed" ? line.before : (line.after ?? line.before);
  const front =
    line.type === "gap"
      ? `${blank} ${theme.symbols.separator} `
      : `${String(number ?? "").padStart(width)} ${MARKS[line.type]} `;
  const lead = [...hang, { text: front, tone }];
  const below: Row = [...hang, { text: `${blank}   `, tone }];
  return rowsOfLine({ lead, hang: below, spans: [{ text: safe(line.text), tone }], at: "hard" }, columns).rows;
}

function pairRows({ left, right }: DiffPair, width: number, options: DiffRowsOptions): readonly Row[] {
  const { columns, hang, theme } = options;
  const isBoth = left !== undefined && left === right;
  if (isBoth && left.type === "gap") return lineRows(left, width, [hang], columns, options);
  const between: Span = { text: ` ${theme.symbols.bar} `, tone: "dim" };
  const half = Math.floor((columns - rowWidth([hang, between])) / 2);
  const shown = (line: DiffLine | undefined, side: "before" | "after"): readonly Row[] =>
    line ? lineRows(numbered(line, side), width, [], half, options) : [];
  const before = shown(left, "before");
  const after = shown(right, "after");
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
    const row = before[at] ?? [];
    const blank: Span = { text: " ".repeat(Math.max(0, half - rowWidth(row))), tone: "plain" };
    return [hang, ...row, blank, between, ...(after[at] ?? [])];
  });
}

/** An unchanged line has its number of that side. */
function numbered(line: DiffLine, side: "before" | "after"): DiffLine {
  if (line.type !== "same") return line;
  const number = line[side];
  return { type: "same", text: line.text, ...(number === undefined ? {} : { after: number }) };
}

function numberWidth(lines: readonly DiffLine[]): number {
  const most = lines.reduce((max, { before = 0, after = 0 }) => Math.max(max, before, after), 0);
  return String(most).length;
}

/** Replaces the middle of long unchanged stretches by a gap. Returns the same lines if there are none. */
function withoutLongContext(lines: readonly DiffLine[]): readonly DiffLine[] {
  const kept: DiffLine[] = [];
  let isCut = false;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    if (!line) break;
    let end = at;
    while (lines[end]?.type === "same") end++;
    const head = at === 0 ? 0 : CONTEXT;
    const tail = end === lines.length ? 0 : CONTEXT;
    const hidden = end - at - head - tail;
    if (end === at) {
      kept.push(line);
      at++;
    } else if (hidden > 1) {
      isCut = true;
      const text = `${hidden} unchanged lines`;
      kept.push(...lines.slice(at, at + head), { type: "gap", text }, ...lines.slice(end - tail, end));
      at = end;
    } else {
      kept.push(...lines.slice(at, end));
      at = end;
    }
  }
  return isCut ? kept : lines;
}
