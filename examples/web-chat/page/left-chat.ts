import type { SavedChat } from "agentwire/chat";
import { forget, keep, readKept } from "./browser-storage.ts";

const KEY = "left-chat";

/** The chat that was looked at when the page was left: a store brings back the messages, this also what the backend remembers. */
export function keepLeftChat(id: string, saved: SavedChat): void {
  // It may be too long for this storage: the store has the messages, and the page asks how to go on.
  keep("sessionStorage", KEY, JSON.stringify({ id, saved }));
}

/** The chat with this id, if the page was just left with it. Given once: what follows is newer. */
export function takeLeftChat(id: string): SavedChat | undefined {
  const kept = readKept("sessionStorage", KEY);
  forget("sessionStorage", KEY);
  if (kept === null) return undefined;
  const left: { readonly id: string; readonly saved: SavedChat } = JSON.parse(kept); // only this file writes it
  return left.id === id ? left.saved : undefined;
}
