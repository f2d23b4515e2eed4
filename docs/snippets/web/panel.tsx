// A chat of a component, for docs/react.md.
// #region react-own
import { cass } from "agentwire/cass";
import { createChat } from "agentwire/chat";
import { useAgentChat, useOwnChat } from "agentwire/react";

export function Panel({ url, token }: { readonly url: string; readonly token: string }) {
  const chat = useOwnChat(() => createChat(cass({ url, token, recover: true })));
  const { messages } = useAgentChat(chat);
  return <p>{messages.length} messages</p>;
}
// #endregion
