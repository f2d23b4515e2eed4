// What a component selects, for docs/react.md.
import type { Chat } from "agentwire/chat";
import { useAgentChat } from "agentwire/react";

export function Everything({ chat }: { readonly chat: Chat }) {
  // #region react-select
  const snapshot = useAgentChat(chat); // everything: renders again with every change
  const busy = useAgentChat(chat, (now) => now.busy); // renders again when a turn begins or ends
  const last = useAgentChat(chat, (now) => now.messages.at(-1)); // when the last message changes
  // #endregion
  return <p>{`${snapshot.queue.length} ${busy} ${last?.id}`}</p>;
}
