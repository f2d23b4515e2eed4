// Waits for a state of a chat.
import type { Chat, ChatSnapshot } from "../../chat/index.ts";

/** Resolves once `holds` is true of the chat. */
export function until(chat: Chat, holds: (snapshot: ChatSnapshot) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds(chat.getSnapshot())) return;
      off();
      resolve();
    };
    const off = chat.subscribe(look);
    look();
  });
}
