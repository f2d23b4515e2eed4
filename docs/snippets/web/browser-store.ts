// A store over `localStorage` for docs/react.md.
// #region react-store
// browser-store.ts
import type { ChatStore } from "agentwire/chat";
import { readJsonl, toJsonl } from "agentwire/universal";

// Each page writes items of its own, so no tab overwrites what another tab has written.
const page = `${Date.now()}-${Math.random()}`;
const nameOf = (id: string): string => `chat ${page} ${id}`;
const isChat = (name: string): boolean => name.startsWith("chat ");
const idOf = (name: string): string => name.split(" ").slice(2).join(" ");

/** The items of all chats, oldest page first. */
const names = (): readonly string[] => Object.keys(localStorage).filter(isChat).sort();

export const browserStore: ChatStore = {
  async load(id) {
    const own = names().filter((name) => idOf(name) === id);
    return readJsonl(own.map((name) => localStorage.getItem(name) ?? "").join("")).events;
  },
  async append(id, events) {
    const before = localStorage.getItem(nameOf(id)) ?? "";
    localStorage.setItem(nameOf(id), before + toJsonl(events));
  },
  async list() {
    return [...new Set(names().map(idOf))].sort();
  },
};
// #endregion
