import type { Chat } from "agentwire/chat";
import { remote } from "agentwire/remote";
import type { AgentSource } from "agentwire/universal";
import type { Archive, StoredChat } from "../../web-chat/page/archive.ts";

/** A chat on the relay that has served this page. The cookie says who the viewer is. */
export function sourceOf(chat: string): AgentSource {
  return remote({ url: "/chats", chat, outbox: "local" });
}

/** The chats of the relay. It keeps them; the page keeps nothing. */
export class RelayArchive implements Archive {
  readonly about = "Kept on the relay.";
  readonly #listeners = new Set<() => void>();

  async chats(prefix: string): Promise<readonly StoredChat[]> {
    const response = await fetch("/list");
    if (!response.ok) throw new Error(`the list of chats cannot be read (HTTP ${response.status})`);
    const chats: readonly StoredChat[] = await response.json(); // `chats.ts` makes it
    return chats.filter(({ id }) => id.startsWith(prefix));
  }

  /** The page has nothing to remove. */
  async removeAll(): Promise<void> {}

  /** Also when the window comes to the front: other windows make chats too. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    addEventListener("focus", listener);
    return () => {
      this.#listeners.delete(listener);
      removeEventListener("focus", listener);
    };
  };

  /** A turn may begin a chat, or give it a title. */
  opened(chat: Chat): void {
    chat.on("event", ({ type }) => {
      if (type === "turn.ended") for (const listener of [...this.#listeners]) listener();
    });
  }
}
