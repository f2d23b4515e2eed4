/** What users write with the hooks. `npm run check -- peers` compiles it against the types of the oldest React. */
import { createChat } from "agentwire/chat";
import { codey } from "agentwire/codey";
import { ChatProvider, useAgentChat, useConnection, useOwnChat, usePending } from "agentwire/react";
import { createElement, type ReactElement } from "react";

export function App({ url }: { readonly url: string }): ReactElement {
  const chat = useOwnChat(() => createChat(codey({ url })));
  return createElement(ChatProvider, { chat }, createElement(Shown));
}

function Shown(): ReactElement {
  const count: number = useAgentChat(undefined, ({ messages }) => messages.length);
  const { status } = useConnection();
  const waiting = usePending().map(({ id }) => createElement("li", { key: id }, id));
  return createElement("p", null, count, status, waiting);
}
