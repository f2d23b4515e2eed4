// The shared parts of all dialogs, and the dialog that asks how to continue after the context was lost.
import type { ChatResume } from "../../chat/chat.ts";
import { type EditorState, emptyEditor, stepEditor } from "../composer/editor.ts";
import { editorAction } from "../composer/editor-keys.ts";
import type { Press } from "../press.ts";
import { INDENT, marked, type Piece, type Row, rowsOf, type Span, type Surface } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import { screenWords } from "../theme.ts";

export interface DialogOptions extends Surface {
  readonly maxRows: number;
  /** Text in place of the choices, while the dialog takes no keys. */
  readonly instead?: string;
}

export function insteadRows(text: string, columns: number): readonly Row[] {
  return rowsOf(text, "dim", { columns });
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

/** The user's choice. Undefined: the key does nothing. */
export function stepResume(press: Press): ChatResume | undefined {
  if (press.type !== "text") return undefined;
  const key = press.text.toLowerCase();
  if (key === "y") return "with-transcript";
  return key === "n" ? "without-context" : undefined;
}

export function resumeRows({ maxRows, instead, ...surface }: DialogOptions): Piece {
  const { columns } = surface;
  const options = marked(surface, "waiting", "warn");
  const words = screenWords(surface.theme);
  const choices =
    instead === undefined
      ? rowsOf(words.resumeChoices, "plain", { columns, hang: INDENT })
      : insteadRows(instead, columns);
  const full: readonly Row[] = [...rowsOf(words.resumeAsks, "warn", options), ...choices];
  if (full.length <= maxRows) return { rows: full };
  const short = instead ?? words.resumeShort;
  return { rows: rowsOf(short, "warn", options).slice(0, maxRows) };
}
