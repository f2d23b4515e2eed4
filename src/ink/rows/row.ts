// Rows of the terminal: safe text in one or more tones.
import { inert } from "../../chat/print/inert.ts";
import type { Tone } from "../theme.ts";
import { graphemes, graphemeWidth, unitsOf, widthOf } from "./width.ts";
import { type WrapOptions, wrap } from "./wrap.ts";

/** Text in one tone, without line breaks and terminal controls. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Row = readonly Span[];

export const EMPTY_ROW: Row = [];

export interface RowsOptions extends WrapOptions {
  readonly columns: number;
  /** The prefix of the first row. @default `hang` */
  readonly lead?: Span;
  /** The prefix of the other rows. @default nothing */
  readonly hang?: Span;
}

/** Wraps an inert text into rows of one tone. */
export function rowsOf(text: string, tone: Tone, options: RowsOptions): readonly Row[] {
  const { columns, hang, lead = hang } = options;
  const margin = Math.max(widthOf(lead?.text ?? ""), widthOf(hang?.text ?? ""));
  return wrap(text, columns - margin, options).map((row, at) => {
    const front = at === 0 ? lead : hang;
    return front ? [front, { text: row.text, tone }] : [{ text: row.text, tone }];
  });
}

const TAB = "    ";

/** An agent's text for the screen: terminal controls have no effect, and tabs are spaces. */
export function displayed(text: string): string {
  return inert(text.includes("\t") ? text.replaceAll("\t", TAB) : text);
}

/** Like `displayed`, but in one line. */
export function inLine(text: string): string {
  return inert(text, { keepNewlines: false, keepTabs: false }).trim();
}

/** Shortens a text to the columns: its start and an ellipsis. */
export function clipped(text: string, columns: number, ellipsis = "..."): string {
  if (widthOf(text) <= columns) return text;
  const space = columns - widthOf(ellipsis);
  if (space <= 0) return ellipsis.slice(0, Math.max(0, columns));
  let width = 0;
  let shown = "";
  for (const grapheme of graphemes(text.slice(0, unitsOf(columns)))) {
    width += graphemeWidth(grapheme);
    if (width > space) break;
    shown += grapheme;
  }
  return shown + ellipsis;
}

/** Shortens a text to the columns: an ellipsis and its end. Examines only the end of a long text. */
export function endOf(text: string, columns: number, ellipsis = "..."): string {
  if (text.length <= unitsOf(columns) && widthOf(text) <= columns) return text;
  const space = columns - widthOf(ellipsis);
  if (space <= 0) return ellipsis.slice(0, Math.max(0, columns));
  let width = 0;
  let shown = "";
  for (const grapheme of graphemes(text.slice(-unitsOf(columns))).toReversed()) {
    width += graphemeWidth(grapheme);
    if (width > space) break;
    shown = grapheme + shown;
  }
  return ellipsis + shown;
}

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
