import type { SavedChat } from "agentwire/chat";

const KEY = "left-chat";

/** The chat that was looked at when the page was left: a store brings back the messages, this also what the backend remembers. */
export function keepLeftChat(id: string, saved: SavedChat): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ id, saved }));
  } catch {
    sessionStorage.removeItem(KEY); // too long for this storage: the store has the messages, and the page asks how to go on
  }
}

/** The chat with this id, if the page was just left with it. Given once: what follows is newer. */
export function takeLeftChat(id: string): SavedChat | undefined {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (kept === null) return undefined;
  const left: { readonly id: string; readonly saved: SavedChat } = JSON.parse(kept); // only this file writes it
  return left.id === id ? left.saved : undefined;
}
