// #region sessions-viewer
import { createChat, inert } from "agentwire/chat";
import { remote } from "agentwire/remote";

const headers = { authorization: "Bearer secret" };
const chat = createChat(remote({ url: "http://127.0.0.1:8787/chats", chat: "first", headers }));
chat.subscribe(() => {
  const { loading, messages } = chat.getSnapshot();
  for (const part of messages.at(-1)?.parts ?? [])
    if (part.type === "text") console.log(loading, inert(part.text));
});
chat.send("Hello!");
// #endregion

export { chat };
