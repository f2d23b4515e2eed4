// The keys of the composer and of the text fields in dialogs.
import { doesOf, type KeyRow } from "../keys.ts";
import type { Press } from "../press.ts";
import type { EditorAction, EditorState } from "./editor.ts";

const move = (to: Extract<EditorAction, { readonly type: "move" }>["to"]) => ({ type: "move", to }) as const;
const remove = (what: Extract<EditorAction, { readonly type: "delete" }>["what"]) =>
  ({ type: "delete", what }) as const;

export const EDITOR_KEYS: readonly KeyRow<EditorAction | "submit">[] = [
  { keys: ["enter"], does: "submit", says: "helpEnter" },
  { keys: ["newline"], does: { type: "type", text: "\n" }, says: "helpNewline" },
  { keys: ["up", "ctrl-p"], does: move("up"), says: "helpUp" },
  { keys: ["down", "ctrl-n"], does: move("down"), says: "helpDown" },
  { keys: ["left", "ctrl-b"], does: move("left"), says: "helpLeft" },
  { keys: ["right", "ctrl-f"], does: move("right"), says: "helpRight" },
  { keys: ["word-left"], does: move("word-left"), says: "helpWordLeft" },
  { keys: ["word-right"], does: move("word-right"), says: "helpWordRight" },
  { keys: ["home", "ctrl-a"], does: move("home"), says: "helpHome" },
  { keys: ["end", "ctrl-e"], does: move("end"), says: "helpEnd" },
  { keys: ["backspace", "ctrl-h"], does: remove("before"), says: "helpBackspace" },
  { keys: ["delete", "ctrl-d"], does: remove("after"), says: "helpDelete" },
  { keys: ["delete-word", "ctrl-w"], does: remove("word"), says: "helpDeleteWord" },
  { keys: ["ctrl-u"], does: remove("to-start"), says: "helpDeleteToStart" },
  { keys: ["ctrl-k"], does: remove("to-end"), says: "helpDeleteToEnd" },
  { keys: ["ctrl-y"], does: { type: "yank" }, says: "helpYank" },
  { keys: ["tab"], does: { type: "type", text: "  " }, says: "helpTab" },
];

/** The action of a key. `submit`: send the text. Undefined: the key does nothing here. */
export function editorAction(
  press: Press,
  { text, cursor }: EditorState,
): EditorAction | "submit" | undefined {
  if (press.type === "text") return { type: "type", text: press.text };
  const does = doesOf(EDITOR_KEYS, press);
  return does === "submit" && text[cursor - 1] === "\\" ? { type: "continue" } : does;
}
