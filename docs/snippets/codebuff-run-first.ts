// #region codebuff-run-first
import { CodebuffRun } from "agentwire/codebuff-run";
import { MockCodebuffBackend } from "agentwire/testing";

const backend = await MockCodebuffBackend.start({
  answer: [
    {
      text: "Let me add. ",
      toolCalls: [{ name: "add", arguments: { a: 2, b: 3 } }],
      usage: { cost: 0.05 }, // dollars: 5 credits
    },
    "It is 5.",
  ],
});
const client = new CodebuffRun({
  baseUrl: backend.url, // without both: the Codebuff backend, with the key CODEBUFF_API_KEY
  apiKey: backend.apiKey,
  agent: { id: "helper", displayName: "Helper", model: "openai/gpt-5-mini" },
  tools: {
    add: {
      description: "Adds two numbers.",
      parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
      execute: ({ input }) => [{ type: "json", value: Number(input["a"]) + Number(input["b"]) }],
    },
  },
});
try {
  const turn = client.prompt("What is 2 + 3?");
  for await (const event of turn) {
    if (event.type === "chunk") process.stdout.write(event.chunk);
    if (event.type === "tool_call") console.log(`\n(${event.toolName} ${JSON.stringify(event.input)})`);
  }
  const { steps, cost } = await turn.result;
  console.log(`\n(${steps} answers of the model, ${cost?.amount} credits)`);
} finally {
  await client.close();
  await backend.stop();
}
// #endregion
