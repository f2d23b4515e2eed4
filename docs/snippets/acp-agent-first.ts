// #region acp-agent-first
import { client } from "@agentclientprotocol/sdk";
import { acpAgent } from "agentwire/acp/agent";
import { agentStep, MockAgent } from "agentwire/testing";

const backend = new MockAgent({
  *script() {
    yield "Let me look. ";
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const [toAgent, toEditor] = [new TransformStream(), new TransformStream()];
const agent = acpAgent(() => backend); // a program that an editor starts calls `stdio()` and needs no streams
await agent.connect({ readable: toAgent.readable, writable: toEditor.writable });

// An editor, as the SDK of ACP makes it:
await client({ name: "tiny editor" })
  .onNotification("session/update", ({ params: { update } }) => {
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
      process.stdout.write(update.content.text);
    if (update.sessionUpdate === "tool_call")
      console.log(`\n[${update.title}] ${JSON.stringify(update.rawInput)}`);
  })
  .onRequest("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "once" } })) // your user
  .connectWith({ readable: toEditor.readable, writable: toAgent.writable }, async (editor) => {
    await editor.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { stopReason } = await editor
      .buildSession("/")
      .withSession((session) => session.prompt("What is here?"));
    console.log(`\n${stopReason}`);
  });
await toAgent.writable.close(); // the editor leaves
// #endregion
