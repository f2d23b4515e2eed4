// The first program of docs/tui.md. It has no JSX, so Node runs it as it stands.
// #region tui-first
import { createChat } from "agentwire/chat";
import { renderChat } from "agentwire/ink";
import { agentStep, MockAgent } from "agentwire/testing/agent";

const agent = new MockAgent({
  pace: 30, // ms between two pieces
  *script({ text }) {
    yield agentStep.reasoning("They want to see what I can do.");
    yield `You said: ${text}. Let me look. `;
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const chat = createChat(agent);

const end = await renderChat(chat); // until /quit, Ctrl-D or Ctrl-C
await chat.close();
process.exitCode = end === "interrupted" ? 130 : 0;
// #endregion
