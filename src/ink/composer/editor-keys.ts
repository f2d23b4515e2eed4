// Maps keys to the actions of the composer.
import type { Press } from "../press.ts";
import type { EditorAction, EditorState } from "./editor.ts";

/** The action of a key. `submit`: send the text. Undefined: the key does nothing here. */
export function editorAction(
  press: Press,
  { text, cursor }: EditorState,
): EditorAction | "submit" | undefined {
  if (press.type === "text") return { type: "type", text: press.text };
  switch (press.key) {
    case "enter":
      return text[cursor - 1] === "\\" ? { type: "continue" } : "submit";
    case "newline":
      return { type: "type", text: "\n" };
    case "tab":
      return { type: "type", text: "  " };
    case "left":
    case "right":
    case "up":
    case "down":
    case "home":
    case "end":
    case "word-left":
    case "word-right":
      return { type: "move", to: press.key };
    case "ctrl-b":
      return { type: "move", to: "left" };
    case "ctrl-f":
      return { type: "move", to: "right" };
    case "ctrl-p":
      return { type: "move", to: "up" };
    case "ctrl-n":
      return { type: "move", to: "down" };
    case "ctrl-a":
      return { type: "move", to: "home" };
    case "ctrl-e":
      return { type: "move", to: "end" };
    case "backspace":
    case "ctrl-h":
      return { type: "delete", what: "before" };
    case "delete":
    case "ctrl-d":
      return { type: "delete", what: "after" };
    case "delete-word":
    case "ctrl-w":
      return { type: "delete", what: "word" };
    case "ctrl-u":
      return { type: "delete", what: "to-start" };
    case "ctrl-k":
      return { type: "delete", what: "to-end" };
    case "ctrl-y":
      return { type: "yank" };
    default:
      return undefined;
  }
}
