import { randomUUID } from "node:crypto";
import { type ChatStore, inert } from "agentwire/chat";
import { directoryStore } from "agentwire/chat/node";
import type { EarlierChat } from "agentwire/ink";
import type { UniversalEvent } from "agentwire/universal";

/** Chats that `/chats` lists: more than a person looks through. */
const MAX_LISTED = 50;

export interface StoredChats {
  readonly store: ChatStore;
  /** The newest chats. */
  list(): Promise<readonly EarlierChat[]>;
}

/** The chats in a folder. Their ids begin with the time, so that the last one is the newest. */
export function chatsIn(folder: string): StoredChats {
  const store = directoryStore(folder);
  return {
    store,
    list: async () => {
      const ids = (await store.list()).toReversed().slice(0, MAX_LISTED);
      return Promise.all(ids.map(async (id) => ({ id, title: titleIn(await store.load(id)) ?? id })));
    },
  };
}

/** `2026-11-28T12-04-09.123Z-4f2a` */
export function newId(): string {
  return `${new Date().toISOString().replaceAll(":", "-")}-${randomUUID().slice(0, 4)}`;
}

/** The start of the first prompt. */
function titleIn(events: readonly UniversalEvent[]): string | undefined {
  for (const event of events) {
    if (event.type !== "item.completed" || event.data.item.role !== "user") continue;
    for (const part of event.data.item.content)
      if (part.type === "text") return inert(part.text, { keepNewlines: false }).trim().slice(0, 60);
  }
  return undefined;
}
