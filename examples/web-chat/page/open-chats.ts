import { type Chat, createChat, type SavedChat } from "agentwire/chat";
import type { Archive } from "./archive.ts";
import type { Session } from "./session.ts";

/** Chats that stay open, each with a connection of its own. A chat that works goes on while another one is looked at. */
const MAX_OPEN = 6;

/** The chats of one session that were looked at. */
export class OpenChats {
  readonly #sourceOf: Session["sourceOf"];
  readonly #archive: Pick<Archive, "store" | "opened">;
  /** The one that was looked at last comes last. */
  readonly #chats = new Map<string, Chat>();

  constructor(sourceOf: Session["sourceOf"], archive: Pick<Archive, "store" | "opened">) {
    this.#sourceOf = sourceOf;
    this.#archive = archive;
  }

  /**
   * The chat with this id, as it was kept if it was. Always the same object while it is open.
   * @param from what a chat that is not open goes on from, instead of what was stored
   */
  get(id: string, from?: SavedChat): Chat {
    const chat = this.#chats.get(id) ?? this.#open(id, from);
    this.#chats.delete(id);
    this.#chats.set(id, chat);
    return chat;
  }

  #open(id: string, from: SavedChat | undefined): Chat {
    const { store } = this.#archive;
    const chat = createChat(this.#sourceOf(id), {
      ...(store ? { store, id } : {}),
      ...(from ? { from } : {}),
    });
    this.#archive.opened?.(chat);
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
