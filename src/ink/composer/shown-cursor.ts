// Marks the character at the cursor, if the terminal's own cursor cannot be placed there.
import type { Row, Span } from "../rows/row.ts";
import { graphemes, graphemeWidth } from "../rows/width.ts";

export function withCursor(piece: {
  readonly rows: readonly Row[];
  readonly cursor?: { readonly x: number; readonly y: number };
}): readonly Row[] {
  const { rows, cursor } = piece;
  if (!cursor) return rows;
  return rows.map((row, at) => (at === cursor.y ? marked(row, cursor.x) : row));
}

function marked(row: Row, x: number): Row {
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
