// #region sessions-viewer
import { createChat, inert } from "agentwire/chat";
import { remote } from "agentwire/remote";

const headers = { authorization: "Bearer secret" };
const chat = createChat(remote({ url: "http://127.0.0.1:8787/chats", chat: "first", headers }));
const off = chat.subscribe(() => {
  const { loading, busy, messages } = chat.getSnapshot();
  if (loading || busy) return;
  off();
  for (const { role, parts } of messages)
    for (const part of parts) if (part.type === "text") console.log(`${role}: ${inert(part.text)}`);
  void chat.close();
});
chat.send("Hello!");
// #endregion
