/** What a terminal sends for a key. */
export const KEYS = {
  enter: "\r",
  escape: "\u001b",
  tab: "\t",
  backspace: "\u007f",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  home: "\u001b[H",
  end: "\u001b[F",
  delete: "\u001b[3~",
  "alt-enter": "\u001b\r",
  "ctrl-c": "\u0003",
  "ctrl-d": "\u0004",
  "ctrl-j": "\n",
  "ctrl-o": "\u000f",
  "ctrl-r": "\u0012",
  "ctrl-u": "\u0015",
} as const;

export type Key = keyof typeof KEYS;

/** A paste, as a terminal sends it to a program that has asked for bracketed paste. */
export function pasteOf(text: string): string {
  return `\u001b[200~${text.replaceAll("\n", "\r")}\u001b[201~`;
}
