// #region readme-chat
import { createChat, inert } from "agentwire/chat";
import { MockAgent } from "agentwire/testing";

const source = new MockAgent(); // or codebuff({ url }), codey({ url }), cass({ url, token }), codebuffCli({ cwd })
const chat = createChat(source);
let shown = 0;
chat.subscribe(() => {
  const { messages } = chat.getSnapshot();
  const answer = messages.at(-1);
  if (answer?.role !== "assistant") return;
  const text = answer.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  process.stdout.write(inert(text.slice(shown)));
  shown = text.length;
  if (answer.status !== "open") void chat.close();
});
chat.send("What can you do?");

// #endregion
export { chat };
