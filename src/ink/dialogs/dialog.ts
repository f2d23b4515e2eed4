// The shared parts of all dialogs: rows in place of the choices, and a text field.
import { type EditorState, emptyEditor, stepEditor } from "../composer/editor.ts";
import { editorAction } from "../composer/editor-keys.ts";
import type { Press } from "../press.ts";
import { type Row, rowsOf, type Span } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import type { Theme } from "../theme.ts";

export interface DialogOptions {
  readonly columns: number;
  readonly theme: Theme;
  readonly maxRows: number;
  /** Text in place of the choices, while the dialog takes no keys. */
  readonly instead?: string;
}

export function insteadRows(text: string, columns: number): readonly Row[] {
  return rowsOf(text, "dim", { columns });
}

export interface DialogRows {
  readonly rows: readonly Row[];
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** A text field in a dialog. */
export type Entry = EditorState;

export function entryOf(text: string): Entry {
  return stepEditor(emptyEditor, { type: "type", text });
}

export function stepEntry(entry: Entry, press: Press): Entry | "submit" {
  const action = editorAction(press, entry);
  if (action === "submit") return "submit";
  return action ? stepEditor(entry, action) : entry;
}

/** Puts items side by side, in as many rows as needed. Never splits an item. */
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
