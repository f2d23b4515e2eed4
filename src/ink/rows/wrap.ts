// Breaks a text into rows of a given width.
import { graphemes, graphemeWidth, unitsOf } from "./width.ts";

/** A row of wrapped text. `end`: the offset after the row, its line break and the replaced space. */
export interface WrappedRow {
  readonly text: string;
  readonly end: number;
  /** Whether the row ends at a line break of the text. More text cannot change such a row. */
  readonly isWholeLine: boolean;
}

export interface WrapOptions {
  /** `hard` breaks at the last column and omits nothing; `words` breaks at spaces. @default "words" */
  readonly at?: "hard" | "words";
  /** Maximum number of rows. @default Infinity */
  readonly maxRows?: number;
}

/** Wraps a text, which must be inert. Examines only the characters of the returned rows. */
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
    if (start === text.length) break; // a final line break starts no row
  }
  return rows;
}

/** Adds the rows of one line. Returns the offset after the last row. */
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

/** The last space in the row or right after it; -1 if there is none. */
function lastSpace(text: string, from: number, fits: number): number {
  const space = text.slice(from, fits + 1).lastIndexOf(" ");
  return space === -1 ? -1 : from + space;
}

/** The offset after the last grapheme that fits. Splits a grapheme that is wider than the row. */
function fitting(text: string, from: number, end: number, width: number): number {
  const plain = text.slice(from, Math.min(end, from + width));
  if (/^[\x20-\x7e]*$/.test(plain)) {
    const next = text.charCodeAt(from + plain.length);
    if (from + plain.length >= end || next < 0x80) return from + plain.length; // otherwise a combining mark may follow
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

/** The UTF-16 code units of the characters that fit: at least one character. */
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
