// #region ag-ui-first
import { agUiAgent } from "agentwire/ag-ui";
import { createChat } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing";

const source = new MockAgent({
  *script() {
    yield "Let me look. ";
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const agent = agUiAgent(createChat(source)); // one agent for each chat, one chat for each thread
const input = { threadId: "t1", runId: "r1", tools: [], context: [] };
const messages = [{ id: "m1", role: "user" as const, content: "What is here?" }];

let resume: { interruptId: string; status: "resolved"; payload: unknown }[] = [];
for await (const event of agent.run({ ...input, messages })) {
  console.log(event.type);
  if (event.type === "RUN_FINISHED" && event.outcome?.type === "interrupt")
    resume = event.outcome.interrupts.map(({ id }) => {
      return { interruptId: id, status: "resolved", payload: { approved: true } }; // your user, in an app
    });
}
for await (const event of agent.run({ ...input, runId: "r2", messages, resume })) {
  if (event.type === "TOOL_CALL_RESULT") console.log("result:", event.content);
  if (event.type === "TEXT_MESSAGE_CONTENT") console.log("text:", event.delta);
}

// #endregion
export { agent };
