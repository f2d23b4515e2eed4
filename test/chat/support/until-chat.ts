import type { Chat, ChatSnapshot } from "agentwire/chat";

/** Resolves when the chat shows this. */
export function untilChat(chat: Chat, holds: (snapshot: ChatSnapshot) => boolean): Promise<void> {
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
