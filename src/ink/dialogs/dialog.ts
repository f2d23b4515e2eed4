// What all dialogs share: rows in place of the choices, and a line to type into.
import { type EditorState, emptyEditor, stepEditor } from "../composer/editor.ts";
import { editorAction } from "../composer/editor-keys.ts";
import type { Press } from "../press.ts";
import { type Row, rowsOf, type Span } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import type { Theme } from "../theme.ts";

export interface DialogOptions {
  readonly columns: number;
  readonly theme: Theme;
  /** Rows at most. */
  readonly maxRows: number;
  /** Words in place of the choices, while the dialog takes no keys. */
  readonly instead?: string;
}

/** What stands where the choices would be. */
export function insteadRows(text: string, columns: number): readonly Row[] {
  return rowsOf(text, "dim", { columns });
}

export interface DialogRows {
  readonly rows: readonly Row[];
  /** The place of the cursor, where the dialog takes text. */
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** A line of text in a dialog. */
export type Entry = EditorState;

/** An entry that begins with the text that was typed. */
export function entryOf(text: string): Entry {
  return stepEditor(emptyEditor, { type: "type", text });
}

/** The entry after a key. `submit`: Enter. */
export function stepEntry(entry: Entry, press: Press): Entry | "submit" {
  const action = editorAction(press, entry);
  if (action === "submit") return "submit";
  return action ? stepEditor(entry, action) : entry;
}

/** Items side by side, in as many rows as they need. An item is never broken. */
export function flow(items: readonly Row[], columns: number, gap = 2): readonly Row[] {
  const rows: Row[] = [];
  let row: Span[] = [];
  let width = 0;
  for (const item of items) {
    const itemWidth = item.reduce((sum, { text }) => sum + widthOf(text), 0);
    if (row.length > 0 && width + gap + itemWidth > columns) {
      rows.push(row);
      row = [];
      width = 0;
    }
    if (row.length > 0) {
      row.push({ text: " ".repeat(gap), tone: "plain" });
      width += gap;
    }
    row.push(...item);
    width += itemWidth;
  }
  return row.length > 0 ? [...rows, row] : rows;
}
