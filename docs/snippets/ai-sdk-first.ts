// #region ai-sdk-first
import { Chat } from "@ai-sdk/react";
import { AgentwireChatTransport, type AgentwireUIMessage, lastMessageIsDecided } from "agentwire/ai-sdk";
import { createChat, inert } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing/agent";

const agent = new MockAgent({
  *script() {
    yield "Let me look. ";
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const transport = new AgentwireChatTransport(createChat(agent)); // of yours: createChat(codey({ url, onToolApproval: "manual" }))

const ui = new Chat<AgentwireUIMessage>({
  transport,
  sendAutomaticallyWhen: lastMessageIsDecided,
  onFinish({ message }) {
    for (const part of message.parts) {
      if (part.type === "text") console.log(inert(part.text));
      if (part.type === "dynamic-tool") console.log(inert(part.toolName), part.state, part.output ?? "");
    }
  },
});
await ui.sendMessage({ text: "What is here?" });
for (const part of ui.lastMessage?.parts ?? [])
  if (part.type === "dynamic-tool" && part.state === "approval-requested")
    await ui.addToolApprovalResponse({ id: part.approval.id, approved: true }); // your user, in an app

// #endregion
export { transport, ui };
