// #region svelte-chat
import type { Chat, ChatSnapshot } from "agentwire/chat";
import { createSubscriber } from "svelte/reactivity";

/** Returns a function that reads the newest snapshot. A component or an `$effect` that calls it runs again after a change. */
export function snapshotOf(chat: Chat): () => ChatSnapshot {
  const track = createSubscriber(chat.subscribe);
  return () => {
    track();
    return chat.getSnapshot();
  };
}
// #endregion
