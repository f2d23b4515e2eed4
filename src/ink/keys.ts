// Tables of keys: what each key does, and what `/help` says about it.
import type { TerminalText } from "../screens/words-terminal.ts";
import type { KeyName, Press } from "./press.ts";

export interface KeyRow<Does> {
  readonly keys: readonly KeyName[];
  readonly does: Does;
  /** The words about it in `/help`. */
  readonly says: TerminalText;
}

/** What a key does by this table. Undefined for text, and for another key. */
export function doesOf<Does>(table: readonly KeyRow<Does>[], press: Press): Does | undefined {
  if (press.type === "text") return undefined;
  return table.find(({ keys }) => keys.includes(press.key))?.does;
}

/** The name of a key for the user: `Ctrl-R`, `Up`. */
export function keyLabel(key: KeyName): string {
  const control = /^ctrl-(.+)$/.exec(key)?.[1];
  return control === undefined ? (LABELS.get(key) ?? key) : `Ctrl-${control.toUpperCase()}`;
}

const LABELS: ReadonlyMap<KeyName, string> = new Map<KeyName, string>([
  ["enter", "Enter"],
  ["newline", "Alt-Enter, Ctrl-J"],
  ["escape", "Esc"],
  ["left", "Left"],
  ["right", "Right"],
  ["up", "Up"],
  ["down", "Down"],
  ["home", "Home"],
  ["end", "End"],
  ["word-left", "Alt-Left"],
  ["word-right", "Alt-Right"],
  ["backspace", "Backspace"],
  ["delete", "Delete"],
  ["delete-word", "Alt-Backspace"],
  ["tab", "Tab"],
]);
