// The rows of a diff: one column, or two side by side.

import { type DiffLine, type DiffPair, diffLines, pairedLines, withoutHeader } from "../../screens/diff.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { rowsOfLine } from "../rows/lines.ts";
import { displayed, type Row, rowWidth, type Span, type Surface } from "../rows/row.ts";
import { screenWords, type Tone } from "../theme.ts";
import { countLines, moreRow } from "./folded.ts";

/** From these columns, the lines before and after stand side by side. */
const SIDE_BY_SIDE = 120;

/** Unchanged lines that stay before and after a change. More are folded. */
const CONTEXT = 3;

/** Examined characters of a diff that is folded: more than a fold can show. The rest is only counted. */
const MAX_LOOK = 20_000;

export interface DiffRowsOptions extends Surface {
  /** The path of the file. Lines of the diff that only repeat it are omitted. */
  readonly path: string;
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

/**
 * The rows of a unified diff. Each line begins with its number, if the diff has numbers, and a mark. A row that
 * continues the previous row has neither.
 */
export function diffRows(diff: string, options: DiffRowsOptions): DiffRows {
  const { columns, hang, path, maxRows = Number.POSITIVE_INFINITY, folds = true } = options;
  const isLong = diff.length > MAX_LOOK && maxRows !== Number.POSITIVE_INFINITY;
  const end = isLong ? diff.lastIndexOf("\n", MAX_LOOK) + 1 || MAX_LOOK : diff.length;
  const hidden = countLines(diff.slice(end));
  const all = withoutHeader(diffLines(diff.slice(0, end)), path);
  const words = screenWords(options.theme);
  const lines = folds ? withoutLongContext(all, words) : all;
  const width = numberWidth(all);
  const items = columns < SIDE_BY_SIDE ? lines : pairedLines(lines);
  const rows: Row[] = [];
  for (const [at, item] of items.entries()) {
    const shown =
      "type" in item ? lineRows(item, width, [hang], columns, options) : pairRows(item, width, options);
    const isLast = at === items.length - 1 && hidden === 0;
    if (rows.length + shown.length > maxRows - (isLast ? 0 : 1))
      return { rows: [...rows, moreRow(hang, items.length - at + hidden, words)], isFolded: true };
    for (const row of shown) rows.push(row);
  }
  if (hidden > 0) return { rows: [...rows, moreRow(hang, hidden, words)], isFolded: true };
  return { rows, isFolded: lines !== all };
}

function lineRows(
  line: DiffLine,
  width: number,
  hang: Row,
  columns: number,
  { safe = displayed, theme }: DiffRowsOptions,
): readonly Row[] {
  const tone = TONES[line.type];
  const number = line.type === "removed" ? line.before : line.after;
  const marks = { ...MARKS, same: number === undefined ? ">" : " ", gap: theme.symbols.separator };
  const digits = width === 0 ? "" : `${String(number ?? "").padStart(width)} `;
  const front = `${digits}${marks[line.type]} `;
  const lead: Row = [...hang, { text: front, tone }];
  const below: Row = [...hang, { text: " ".repeat(front.length), tone }];
  return rowsOfLine({ lead, hang: below, spans: [{ text: safe(line.text), tone }], at: "hard" }, columns)
    .rows;
}

const TONES = {
  same: "dim",
  added: "ok",
  removed: "error",
  gap: "dim",
} as const satisfies Readonly<Record<DiffLine["type"], Tone>>;

const MARKS = { added: "+", removed: "-" } as const;

function pairRows({ left, right }: DiffPair, width: number, options: DiffRowsOptions): readonly Row[] {
  const { columns, hang, theme } = options;
  if (left && left === right && left.after === undefined)
    return lineRows(left, width, [hang], columns, options);
  const between: Span = { text: ` ${theme.symbols.bar} `, tone: "dim" };
  const half = Math.floor((columns - rowWidth([hang, between])) / 2);
  const before = left ? lineRows(withNumber(left, left.before), width, [], half, options) : [];
  const after = right ? lineRows(right, width, [], half, options) : [];
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
    const row = before[at] ?? [];
    const blank: Span = { text: " ".repeat(Math.max(0, half - rowWidth(row))), tone: "plain" };
    return [hang, ...row, blank, between, ...(after[at] ?? [])];
  });
}

/** An unchanged line with this number. */
function withNumber(line: DiffLine, number: number | undefined): DiffLine {
  return line.type === "same" && number !== undefined ? { ...line, after: number } : line;
}

function numberWidth(lines: readonly DiffLine[]): number {
  const most = lines.reduce((max, { before = 0, after = 0 }) => Math.max(max, before, after), 0);
  return most === 0 ? 0 : String(most).length;
}

/** Replaces the middle of long unchanged stretches by a gap. Returns the same lines if there are none. */
function withoutLongContext(lines: readonly DiffLine[], words: TerminalWords): readonly DiffLine[] {
  const kept: DiffLine[] = [];
  let isCut = false;
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (isContext(lines[end])) end++;
    const head = at === 0 ? 0 : CONTEXT;
    const tail = end === lines.length ? 0 : CONTEXT;
    const hidden = end - at - head - tail;
    if (hidden > 1) {
      isCut = true;
      const text = words.unchangedLines(hidden);
      kept.push(...lines.slice(at, at + head), { type: "gap", text }, ...lines.slice(end - tail, end));
    } else {
      end = Math.max(end, at + 1);
      kept.push(...lines.slice(at, end));
    }
    at = end;
  }
  return isCut ? kept : lines;
}

function isContext(line: DiffLine | undefined): boolean {
  return line?.type === "same" && line.after !== undefined;
}
