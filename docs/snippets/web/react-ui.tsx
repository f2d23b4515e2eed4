// A chat as a page, for docs/react.md.
// #region react-ui
import { createChat } from "agentwire/chat";
import { Chat, highlightWith } from "agentwire/react/ui";
import "agentwire/react/ui.css";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { common, createLowlight } from "lowlight";
import { createRoot } from "react-dom/client";

const agent = new MockAgent({
  *script({ text }) {
    yield `You said: **${text}**. Let me look.\n\n`;
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file:\n\n```js\nlet a = 1;\n```\n";
  },
});
const chat = createChat(agent); // a backend of yours: createChat(codey({ url, onToolApproval: "manual" }))
const highlight = highlightWith(createLowlight(common)); // npm install lowlight; without it, code has one colour

const root = document.getElementById("root"); // its height: #root { height: 100dvh }
if (root)
  createRoot(root).render(
    <Chat chat={chat} title="A chat" suggestions={["What is here?"]} highlight={highlight} />,
  );
// #endregion
