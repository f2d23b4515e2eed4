// Breaks a text into rows of a given width.
import { graphemes, graphemeWidth, unitsOf } from "./width.ts";

/** A row of a wrapped text. `end`: the offset behind the row, its line break and the space that the break replaces included. */
export interface WrappedRow {
  readonly text: string;
  readonly end: number;
  /** Whether the row ends at a line break of the text, and so stays as it is when more text follows. */
  readonly isWholeLine: boolean;
}

export interface WrapOptions {
  /** `hard`: breaks at the last column, and no character is left out. `words`: breaks at spaces where there are some. @default "words" */
  readonly at?: "hard" | "words";
  /** Stops after so many rows. @default Infinity */
  readonly maxRows?: number;
}

/** The rows of a text on a terminal of so many columns. Looks only at the characters of the rows that it returns. The text must be inert. */
export function wrap(text: string, columns: number, options: WrapOptions = {}): readonly WrappedRow[] {
  const { at = "words", maxRows = Number.POSITIVE_INFINITY } = options;
  const width = Math.max(1, Math.floor(columns));
  const rows: WrappedRow[] = [];
  let start = 0;
  while (rows.length < maxRows) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    start = wrapLine(text, start, end, width, at, maxRows, rows);
    if (start < end) break;
    if (found === -1) break;
    const last = rows.at(-1);
    if (last) rows[rows.length - 1] = { ...last, end: found + 1, isWholeLine: true };
    start = found + 1;
    if (start === text.length) break; // a line break at the end begins no row
  }
  return rows;
}

/** Adds the rows of one line. Returns the offset behind the last row. */
function wrapLine(
  text: string,
  start: number,
  end: number,
  width: number,
  at: "hard" | "words",
  maxRows: number,
  rows: WrappedRow[],
): number {
  let from = start;
  do {
    if (rows.length >= maxRows) return from;
    const fits = fitting(text, from, end, width);
    const isLast = fits >= end;
    const space = at === "words" && !isLast ? lastSpace(text, from, fits) : -1;
    if (space > from) {
      rows.push({ text: text.slice(from, space), end: space + 1, isWholeLine: false });
      from = space + 1;
    } else {
      rows.push({ text: text.slice(from, fits), end: fits, isWholeLine: false });
      from = fits;
    }
  } while (from < end);
  return from;
}

/** The space at which a row that holds `from` to `fits` ends: the character behind the row may be that space too. -1: there is none. */
function lastSpace(text: string, from: number, fits: number): number {
  const space = text.slice(from, fits + 1).lastIndexOf(" ");
  return space === -1 ? -1 : from + space;
}

/** The offset behind the last grapheme that fits. A grapheme that is wider than the row is broken between two of its characters. */
function fitting(text: string, from: number, end: number, width: number): number {
  const plain = text.slice(from, Math.min(end, from + width));
  if (/^[\x20-\x7e]*$/.test(plain)) {
    const next = text.charCodeAt(from + plain.length);
    if (from + plain.length >= end || next < 0x80) return from + plain.length; // otherwise a mark may follow
  }
  let columns = 0;
  let at = from;
  for (const grapheme of graphemes(text.slice(from, Math.min(end, from + unitsOf(width))))) {
    columns += graphemeWidth(grapheme);
    if (columns > width && at > from) return at;
    if (columns > width) return from + fittingIn(grapheme, width);
    at += grapheme.length;
  }
  return at;
}

/** The UTF-16 code units of the characters that fit; of the first character in any case. */
function fittingIn(grapheme: string, width: number): number {
  let columns = 0;
  let at = 0;
  for (const character of grapheme) {
    columns += graphemeWidth(character);
    if (columns > width && at > 0) break;
    at += character.length;
  }
  return at;
}
