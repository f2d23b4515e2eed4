// Rows of the terminal: safe text in one or more tones.
import { inert } from "../../chat/print/inert.ts";
import type { Highlighter } from "../../screens/highlight.ts";
import type { Symbols, Theme, Tone } from "../theme.ts";
import { graphemes, graphemeWidth, unitsOf, widthOf } from "./width.ts";
import { type WrapOptions, wrap } from "./wrap.ts";

/** Text without line breaks and terminal controls. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
  /** Further tones. Their styles are added to the style of `tone`. */
  readonly also?: readonly Tone[];
}

export type Row = readonly Span[];

export const EMPTY_ROW: Row = [];

export const INDENT: Span = { text: "  ", tone: "plain" };

/** Rows, and the place of the cursor in them. */
export interface Piece {
  readonly rows: readonly Row[];
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** What rows are drawn on. */
export interface Surface {
  readonly columns: number;
  readonly theme: Theme;
  /** Colours code. @default code has one tone */
  readonly highlight?: Highlighter | undefined;
}

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

/** The options of rows that begin with a symbol. The rows below the first are indented. */
export function marked({ columns, theme }: Surface, symbol: keyof Symbols, tone: Tone): RowsOptions {
  return { columns, lead: { text: `${theme.symbols[symbol]} `, tone }, hang: INDENT };
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
export function clipped(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns <= ELLIPSIS.length) return ELLIPSIS.slice(0, Math.max(0, columns));
  return fitting(graphemes(text.slice(0, unitsOf(columns))), columns).join("") + ELLIPSIS;
}

/** Shortens a text to the columns: an ellipsis and its end. Examines only the end of a long text. */
export function endOf(text: string, columns: number): string {
  if (text.length <= unitsOf(columns) && widthOf(text) <= columns) return text;
  if (columns <= ELLIPSIS.length) return ELLIPSIS.slice(0, Math.max(0, columns));
  const last = graphemes(text.slice(-unitsOf(columns))).toReversed();
  return ELLIPSIS + fitting(last, columns).toReversed().join("");
}

const ELLIPSIS = "...";

/** The first graphemes that fit beside an ellipsis. */
function fitting(all: readonly string[], columns: number): readonly string[] {
  let left = columns - ELLIPSIS.length;
  const end = all.findIndex((grapheme) => {
    left -= graphemeWidth(grapheme);
    return left < 0;
  });
  return end < 0 ? all : all.slice(0, end);
}

export function rowWidth(row: Row): number {
  return row.reduce((sum, { text }) => sum + widthOf(text), 0);
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
