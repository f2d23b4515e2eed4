// #region readme-chat
import { createChat, inert } from "agentwire/chat";
import { MockAgent } from "agentwire/testing";

const source = new MockAgent(); // or codebuff({ url }), codey({ url }), cass({ url, token }), codebuffCli({ cwd })
const chat = createChat(source);
let shown = 0;
const off = chat.subscribe(() => {
  const last = chat.getSnapshot().messages.at(-1);
  if (last?.role === "assistant") {
    const text = last.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    process.stdout.write(inert(text.slice(shown)));
    shown = text.length;
  }
  if (!last || !["completed", "cancelled", "failed"].includes(last.status)) return;
  if (last.error) console.error(`${last.error.title}. ${last.error.detail}`); // a prompt that cannot be sent has one, too
  off();
  void chat.close();
});
chat.send("What can you do?");

// #endregion
export { chat };
