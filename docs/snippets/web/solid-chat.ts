// #region solid-chat
import type { Chat, ChatSnapshot } from "agentwire/chat";
import { type Accessor, from } from "solid-js";

/** A signal with the newest snapshot, for the component that calls this. */
export function chatSignal(chat: Chat): Accessor<ChatSnapshot> {
  return from((set) => chat.subscribe(() => set(chat.getSnapshot())), chat.getSnapshot());
}
// #endregion
