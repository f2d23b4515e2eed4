import type { Chat, ChatStore } from "agentwire/chat";

/** What the list of chats shows. */
export interface StoredChat {
  readonly id: string;
  readonly title: string;
  /** When something was added, in ms since the epoch. */
  readonly changedAt: number;
}

/** Where chats are kept, and the list of them. */
export interface Archive {
  /** One line below the list. */
  readonly about: string;
  /** Where the page keeps its chats. Absent: the source of a chat brings back what was said. */
  readonly store?: ChatStore;
  /** The chats whose ids begin with `prefix`, newest first. */
  chats(prefix: string): Promise<readonly StoredChat[]>;
  /** Removes the chats of this page whose ids begin with `prefix`. */
  removeAll(prefix: string): Promise<void>;
  /** Calls `listener` when the list may have changed. */
  subscribe(listener: () => void): () => void;
  /** The page has opened a chat. */
  opened?(chat: Chat): void;
}
