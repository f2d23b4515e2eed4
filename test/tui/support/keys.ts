/** What a terminal sends for a key. */
export const KEYS = {
  enter: "\r",
  escape: "\u001b",
  "ctrl-c": "\u0003",
  "ctrl-d": "\u0004",
} as const;

export type Key = keyof typeof KEYS;

/** A paste, as a terminal sends it to a program that has asked for bracketed paste. */
export function pasteOf(text: string): string {
  return `\u001b[200~${text.replaceAll("\n", "\r")}\u001b[201~`;
}
