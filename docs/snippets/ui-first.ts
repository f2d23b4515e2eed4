// #region ui-first
import { createChat, inert } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing/agent";

const agent = new MockAgent({
  *script() {
    yield "Let me look. ";
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const chat = createChat(agent); // opens nothing: the first prompt does

const off = chat.subscribe(() => {
  const { busy, messages, pending } = chat.getSnapshot();
  for (const part of messages.at(-1)?.parts ?? []) {
    if (part.type === "text") console.log(part.open ? "..." : "   ", inert(part.text));
    if (part.type === "tool") console.log("   ", inert(part.name), part.state, inert(part.output));
  }
  for (const { id, type } of pending) if (type === "approval") chat.decide(id, "once"); // your user, in an app
  if (busy) return;
  off();
  void chat.close(); // in an app: when its user leaves
});
chat.send("What is here?");

// #endregion
export { chat };
