import { clipped, type Row, type Span } from "../rows/row.ts";
import { graphemes, widthOf } from "../rows/width.ts";
import type { Theme } from "../theme.ts";
import type { EditorState } from "./editor.ts";
import { pasteLabel } from "./pastes.ts";

export interface ComposerRowsOptions {
  readonly columns: number;
  readonly theme: Theme;
  /** Rows at most: the ones around the cursor are shown. */
  readonly maxRows: number;
  /** What stands in an empty composer. */
  readonly placeholder?: string;
  /** Whether it takes no keys now. @default false */
  readonly isDim?: boolean;
}

export interface ComposerRows {
  readonly rows: readonly Row[];
  /** The place of the cursor, in columns and rows from the first row. */
  readonly cursor: { readonly x: number; readonly y: number };
}

/** The composer with its cursor. Takes time in proportion to the text; a long paste is one character of it. */
export function composerRows(state: EditorState, options: ComposerRowsOptions): ComposerRows {
  const { columns, theme, maxRows, placeholder = "", isDim = false } = options;
  const lead: Span = { text: `${theme.symbols.prompt} `, tone: isDim ? "dim" : "user" };
  const hang: Span = { text: "  ", tone: "plain" };
  const width = Math.max(1, columns - 3); // the lead, and a column for the cursor behind the last character
  if (state.text === "")
    return { rows: [[lead, { text: clipped(placeholder, width), tone: "dim" }]], cursor: { x: 2, y: 0 } };
  const { lines, cursor } = layOut(state, width);
  const shown = Math.min(maxRows, lines.length);
  const first = Math.max(0, Math.min(cursor.y - shown + 1, lines.length - shown));
  const rows = lines.slice(first, first + shown).map((text, at): Row => {
    const front = first + at === 0 ? lead : hang;
    return [front, { text, tone: isDim ? "dim" : "plain" }];
  });
  return { rows, cursor: { x: cursor.x + 2, y: cursor.y - first } };
}

interface Layout {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
}

/** Breaks at the last column, so that the cursor is always where its character is. */
function layOut({ text, cursor: at, pastes }: EditorState, width: number): Layout {
  const lines: string[] = [];
  let line = "";
  let x = 0;
  let offset = 0;
  let cursor = { x: 0, y: 0 };
  const next = (): void => {
    lines.push(line);
    line = "";
    x = 0;
  };
  for (const grapheme of graphemes(text)) {
    const paste = pastes.get(grapheme);
    const whole = paste === undefined ? grapheme : pasteLabel(paste);
    const full = widthOf(whole);
    const shown = full > width ? clipped(whole, width) : whole; // marks may make one grapheme wider than the row
    const columns = full > width ? widthOf(shown) : full;
    if (grapheme !== "\n" && x > 0 && x + columns > width) next();
    if (offset === at) cursor = { x, y: lines.length };
    offset += grapheme.length;
    if (grapheme === "\n") next();
    else {
      line += shown;
      x += columns;
    }
  }
  if (offset === at) cursor = { x, y: lines.length };
  lines.push(line);
  return { lines, cursor };
}
