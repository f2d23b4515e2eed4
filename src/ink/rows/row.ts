// Rows of the terminal: safe text in one or more tones.
import { inert } from "../../chat/print/inert.ts";
import type { Tone } from "../theme.ts";
import { graphemes, graphemeWidth, unitsOf, widthOf } from "./width.ts";
import { type WrapOptions, wrap } from "./wrap.ts";

/** Text in one tone. It is inert, and has no line break. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One row of the terminal. */
export type Row = readonly Span[];

export const EMPTY_ROW: Row = [];

export interface RowsOptions extends WrapOptions {
  readonly columns: number;
  /** In front of the first row. @default `hang` */
  readonly lead?: Span;
  /** In front of the other rows. @default nothing */
  readonly hang?: Span;
}

/** The rows of an inert text in one tone. */
export function rowsOf(text: string, tone: Tone, options: RowsOptions): readonly Row[] {
  const { columns, hang, lead = hang } = options;
  const margin = Math.max(widthOf(lead?.text ?? ""), widthOf(hang?.text ?? ""));
  return wrap(text, columns - margin, options).map((row, at) => {
    const front = at === 0 ? lead : hang;
    return front ? [front, { text: row.text, tone }] : [{ text: row.text, tone }];
  });
}

/** Columns that a tab takes. */
const TAB = "    ";

/** Text of an agent for the screen: nothing in it does anything, and tabs are spaces. */
export function displayed(text: string): string {
  return inert(text.includes("\t") ? text.replaceAll("\t", TAB) : text);
}

/** The same in one line. */
export function inLine(text: string): string {
  return inert(text, { keepNewlines: false, keepTabs: false }).trim();
}

/** The text itself, or its beginning and an ellipsis. */
export function clipped(text: string, columns: number, ellipsis = "..."): string {
  if (widthOf(text) <= columns) return text;
  const room = columns - widthOf(ellipsis);
  if (room <= 0) return ellipsis.slice(0, Math.max(0, columns));
  let width = 0;
  let shown = "";
  for (const grapheme of graphemes(text.slice(0, unitsOf(columns)))) {
    width += graphemeWidth(grapheme);
    if (width > room) break;
    shown += grapheme;
  }
  return shown + ellipsis;
}

/** The text itself, or an ellipsis and its end. Looks only at the end of a long text. */
export function endOf(text: string, columns: number, ellipsis = "..."): string {
  if (text.length <= unitsOf(columns) && widthOf(text) <= columns) return text;
  const room = columns - widthOf(ellipsis);
  if (room <= 0) return ellipsis.slice(0, Math.max(0, columns));
  let width = 0;
  let shown = "";
  for (const grapheme of graphemes(text.slice(-unitsOf(columns))).toReversed()) {
    width += graphemeWidth(grapheme);
    if (width > room) break;
    shown = grapheme + shown;
  }
  return ellipsis + shown;
}

/** The spans that fit into one row; the last of them is clipped. */
export function clippedRow(row: Row, columns: number): Row {
  let left = columns;
  const shown: Span[] = [];
  for (const span of row) {
    if (left <= 0) break;
    const text = clipped(span.text, left);
    shown.push({ ...span, text });
    left -= widthOf(text);
  }
  return shown;
}
