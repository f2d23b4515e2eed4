import { runAgentTUI } from "@ai-sdk/tui";
import { AgentwireChatTransport } from "agentwire/ai-sdk";
import { createChat } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing/agent";

const agent = new MockAgent({
  *script({ text }) {
    yield `You said: ${text}. `;
    const { state } = yield* agentStep.tool({
      name: "shell",
      input: { command: "ls" },
      output: "a.txt",
      approval: true,
    });
    yield state === "denied" ? "As you like." : "One file.";
  },
});
// #region ai-sdk-tui
const transport = new AgentwireChatTransport(createChat(agent));
// `@ai-sdk/tui` has its own, older types of `ai`.
await runAgentTUI({ title: "My agent", transport: transport as never });
await transport.close();
// #endregion
