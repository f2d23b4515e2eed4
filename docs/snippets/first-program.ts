// #region first-program
import { createChat, inert } from "agentwire/chat";
import { MockAgent } from "agentwire/testing/agent";

const chat = createChat(new MockAgent());
const off = chat.subscribe(() => {
  const { busy, messages } = chat.getSnapshot();
  if (busy) return;
  off();
  for (const part of messages.at(-1)?.parts ?? []) if (part.type === "text") console.log(inert(part.text));
  void chat.close();
});
chat.send("Hello!");
// #endregion
