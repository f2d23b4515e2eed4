// A part of a long text, and the number of hidden lines.
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { displayed, type Row, rowsOf, type Span, type Surface } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import { type WrappedRow, wrap } from "../rows/wrap.ts";
import type { Tone } from "../theme.ts";

export interface Folded {
  readonly title: string;
  /** Draws all of it. */
  readonly rows: (surface: Surface) => readonly Row[];
}

/** @param text as the agent sent it */
export function foldedText(title: string, text: string): Folded {
  return {
    title,
    rows: ({ columns, theme }) => {
      const hang: Span = { text: `${theme.symbols.bar} `, tone: "dim" };
      return rowsOf(displayed(text).trimEnd(), "dim", { columns, hang });
    },
  };
}

export interface FoldOptions {
  readonly columns: number;
  readonly tone: Tone;
  /** The prefix of each row. */
  readonly hang: Span;
  /** The prefix of the first row, as wide as `hang`. @default `hang` */
  readonly lead?: Span;
  readonly words: TerminalWords;
  /** Maximum number of rows, including the row that counts hidden lines. */
  readonly maxRows: number;
  /** The visible part: `end` for growing output, `both` for start and end. @default "start" */
  readonly shows?: "start" | "end" | "both";
}

export interface FoldedRows {
  readonly rows: readonly Row[];
  readonly isFolded: boolean;
}

/** Examined characters at each end of a text: more than a fold can show. The rest is only counted. */
const MAX_LOOK = 20_000;

export function foldedRows(text: string, options: FoldOptions): FoldedRows {
  const { maxRows, shows = "start", tone, hang, lead = hang, columns, words } = options;
  const whole = text.trimEnd();
  if (whole === "") return { rows: [], isFolded: false };
  const width = columns - widthOf(hang.text);
  const rowsWith = (wrapped: readonly WrappedRow[], front = hang): readonly Row[] =>
    wrapped.map((row, at) => [at === 0 ? front : hang, { text: row.text, tone }]);
  const isLong = whole.length > MAX_LOOK && maxRows !== Number.POSITIVE_INFINITY;
  if (!isLong) {
    const all = wrap(displayed(whole), width);
    if (all.length <= maxRows) return { rows: rowsWith(all, lead), isFolded: false };
  }
  const space = Math.max(1, maxRows - 1);
  const below = shows === "start" ? 0 : shows === "end" ? space : Math.ceil(space / 2);
  const start = displayed(isLong ? whole.slice(0, MAX_LOOK) : whole);
  const end = displayed(isLong ? whole.slice(-MAX_LOOK) : whole);
  const first = wrap(start, width, { maxRows: space - below });
  const wrapped = below === 0 ? [] : wrap(end, width);
  const last = wrapped.slice(-below);
  const from = first.at(-1)?.end ?? 0;
  const to = below === 0 ? end.length : (wrapped.at(-below - 1)?.end ?? 0);
  const more = isLong
    ? countLines(whole) - countLines(start.slice(0, from)) - countLines(end.slice(to))
    : countLines(start.slice(from, to));
  const rows = [...rowsWith(first, lead), moreRow(hang, more, words), ...(below === 0 ? [] : rowsWith(last))];
  return { rows, isFolded: true };
}

/** Counts lines. A final line break starts no line. */
export function countLines(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Counts hidden lines: at least one. */
export function moreRow(hang: Span, more: number, words: TerminalWords): Row {
  return [hang, { text: `... ${words.hiddenLines(Math.max(1, more))}`, tone: "dim" }];
}
