// The first program of docs/tui.md. It has no JSX, so Node runs it as it stands.
// #region tui-first
import { createChat } from "agentwire/chat";
import { Chat } from "agentwire/ink";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { render } from "ink";
import { createElement } from "react";

const agent = new MockAgent({
  pace: 30, // ms between two pieces
  *script({ text }) {
    yield agentStep.reasoning("They want to see what I can do.");
    yield `You said: ${text}. Let me look. `;
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const chat = createChat(agent); // a backend of yours: createChat(codey({ url, onToolApproval: "manual" }))

const onExit = () => {
  app.unmount(); // /quit, Ctrl-D, or Ctrl-C
};
const app = render(createElement(Chat, { chat, onExit }), { incrementalRendering: true, exitOnCtrlC: false });
await app.waitUntilExit();
await chat.close();
// #endregion
