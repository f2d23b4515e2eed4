// Ctrl-R: searches the user's prompts.
import type { EditorState } from "../composer/editor.ts";
import { doesOf, type KeyRow } from "../keys.ts";
import type { Press } from "../press.ts";

export const SEARCH_KEYS: readonly KeyRow<"older" | "newer" | "take" | "leave" | "shorten">[] = [
  { keys: ["ctrl-r", "up"], does: "older", says: "helpSearchOlder" },
  { keys: ["down"], does: "newer", says: "helpSearchNewer" },
  { keys: ["enter", "tab"], does: "take", says: "helpSearchTake" },
  { keys: ["escape", "ctrl-c", "ctrl-g"], does: "leave", says: "helpSearchLeave" },
  { keys: ["backspace", "ctrl-h"], does: "shorten", says: "helpSearchShorten" },
];

export interface HistorySearch {
  readonly query: string;
  /** The shown entry of the history. Undefined if none fits. */
  readonly at: number | undefined;
}

export type SearchStep =
  | { readonly type: "open"; readonly search: HistorySearch }
  /** The shown entry becomes the text of the composer. */
  | { readonly type: "taken"; readonly at: number | undefined }
  | { readonly type: "left" };

/** Begins with the newest prompt. */
export function newSearch({ history }: EditorState): HistorySearch {
  return { query: "", at: history.length === 0 ? undefined : history.length - 1 };
}

/** Returns undefined for a key of the composer: it takes the entry, and then does what it does there. */
export function stepSearch(
  search: HistorySearch,
  press: Press,
  { history }: EditorState,
): SearchStep | undefined {
  const { query, at } = search;
  const find = (wanted: string, from: number, by: 1 | -1): number | undefined => {
    const needle = wanted.toLowerCase();
    for (let index = from; index >= 0 && index < history.length; index += by)
      if (history[index]?.text.toLowerCase().includes(needle)) return index;
    return undefined;
  };
  const searched = (wanted: string, from: number): SearchStep => ({
    type: "open",
    search: { query: wanted, at: find(wanted, from, -1) },
  });
  if (press.type === "text") return searched(query + press.text, at ?? history.length - 1);
  switch (doesOf(SEARCH_KEYS, press)) {
    case "older":
      return { type: "open", search: { query, at: find(query, (at ?? history.length) - 1, -1) ?? at } };
    case "newer":
      return { type: "open", search: { query, at: find(query, (at ?? history.length) + 1, 1) ?? at } };
    case "shorten":
      return searched(Array.from(query).slice(0, -1).join(""), history.length - 1);
    case "take":
      return { type: "taken", at };
    case "leave":
      return { type: "left" };
    case undefined:
      return undefined;
  }
}
