// The rows of the composer, with its cursor.
import { clipped, INDENT, type Piece, type Row, type Span, type Surface } from "../rows/row.ts";
import { graphemes, graphemeWidth, widthOf } from "../rows/width.ts";
import { wrap } from "../rows/wrap.ts";
import type { EditorState } from "./editor.ts";
import { withLabels } from "./pastes.ts";

export interface ComposerRowsOptions extends Surface {
  /** Maximum number of rows. The rows around the cursor are shown. */
  readonly maxRows: number;
  readonly placeholder?: string;
  /** Whether the composer takes no keys now. @default false */
  readonly isDim?: boolean;
}

type ComposerRows = Required<Piece>;

/** The rows of the composer, and its cursor. Linear in the text; a long paste is one character of it. */
export function composerRows(state: EditorState, options: ComposerRowsOptions): ComposerRows {
  const { columns, theme, maxRows, placeholder = "", isDim = false } = options;
  const lead: Span = { text: `${theme.symbols.prompt} `, tone: isDim ? "dim" : "user" };
  const width = Math.max(1, columns - 3); // space for the lead, and for a cursor after the last character
  if (state.text === "")
    return { rows: [[lead, { text: clipped(placeholder, width), tone: "dim" }]], cursor: { x: 2, y: 0 } };
  const { lines, cursor } = layOut(state, width);
  const shown = Math.min(maxRows, lines.length);
  const first = Math.max(0, Math.min(cursor.y - shown + 1, lines.length - shown));
  const rows = lines.slice(first, first + shown).map((text, at): Row => {
    const front = first + at === 0 ? lead : INDENT;
    return [front, { text, tone: isDim ? "dim" : "plain" }];
  });
  return { rows, cursor: { x: cursor.x + 2, y: cursor.y - first } };
}

interface Layout {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
}

/** Wraps between words. A cursor on a space that a break replaces is shown after the end of the row. */
function layOut({ text, cursor, pastes }: EditorState, width: number): Layout {
  const shown = withLabels(text, pastes);
  const at = withLabels(text.slice(0, cursor), pastes).length;
  const rows = wrap(shown, width);
  const lines = rows.map((row) => row.text);
  const found = rows.findIndex(({ end }) => end > at);
  const y = found === -1 ? rows.length - 1 : found;
  const x = widthOf(shown.slice(rows[y - 1]?.end ?? 0, at));
  if (found !== -1 || (x <= width && !shown.endsWith("\n")))
    return { lines, cursor: { x: Math.min(x, width), y } };
  return { lines: [...lines, ""], cursor: { x: 0, y: y + 1 } };
}

/** The rows with the character at the cursor marked, for a component that does not know its place on the screen. */
export function withCursor({ rows, cursor }: Piece): readonly Row[] {
  if (!cursor) return rows;
  return rows.map((row, at) => (at === cursor.y ? withMark(row, cursor.x) : row));
}

function withMark(row: Row, x: number): Row {
  const spans: Span[] = [];
  let column = 0;
  let isMarked = false;
  for (const { text, tone } of row) {
    let before = "";
    for (const grapheme of graphemes(text)) {
      if (column < x || isMarked) before += grapheme;
      else {
        spans.push({ text: before, tone }, { text: grapheme, tone: "cursor" });
        before = "";
        isMarked = true;
      }
      column += graphemeWidth(grapheme);
    }
    spans.push({ text: before, tone });
  }
  return isMarked ? spans : [...spans, { text: " ", tone: "cursor" }];
}
