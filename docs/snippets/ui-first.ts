// #region ui-first
import { createChat, inert } from "agentwire/chat";
import { MockAgent } from "agentwire/testing";

const chat = createChat(new MockAgent({ script: ["Frames cross the quiet wire."] }));
chat.subscribe(() => {
  const { messages, busy } = chat.getSnapshot();
  const texts = messages.at(-1)?.parts.map((part) => (part.type === "text" ? part.text : ""));
  console.log(busy ? "..." : "", inert(texts?.join("") ?? "")); // a page would render here
});
chat.send("Write a haiku.");
// #endregion
export { chat };
