import { type Chat, type ChatStore, createChat, type SavedChat } from "agentwire/chat";
import type { AgentSource } from "agentwire/universal";

/** Chats that stay open, each with a connection of its own. A chat that works goes on while another one is looked at. */
const MAX_OPEN = 6;

/** The chats of one session that were looked at. */
export class OpenChats {
  readonly #source: AgentSource;
  readonly #store: ChatStore;
  /** The one that was looked at last comes last. */
  readonly #chats = new Map<string, Chat>();

  constructor(source: AgentSource, store: ChatStore) {
    this.#source = source;
    this.#store = store;
  }

  /**
   * The chat with this id, as it was stored if it was. Always the same object while it is open.
   * @param from what a chat that is not open goes on from, instead of what was stored
   */
  get(id: string, from?: SavedChat): Chat {
    const options = { store: this.#store, id, ...(from ? { from } : {}) };
    const chat = this.#chats.get(id) ?? createChat(this.#source, options);
    this.#chats.delete(id);
    this.#chats.set(id, chat);
    return chat;
  }

  /** Closes the chats that were not looked at for longest, if there are too many. A chat that works stays open. */
  trim(): void {
    for (const [id, chat] of this.#chats) {
      if (this.#chats.size <= MAX_OPEN) return;
      const { busy, queue } = chat.getSnapshot();
      if (busy || queue.length > 0) continue;
      this.#chats.delete(id);
      void chat.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#chats.values()].map((chat) => chat.close()));
    this.#chats.clear();
  }
}
