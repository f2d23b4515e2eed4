// #region codebuff-cli-first
import { CodebuffCli } from "agentwire/codebuff-cli";

const client = new CodebuffCli({ cwd: process.env["PROJECT"] ?? "." }); // where the agent works
try {
  const turn = client.prompt("Why does the build fail? Change nothing.");
  for await (const event of turn) {
    if (event.type === "text" || event.type === "chunk") process.stdout.write(event.delta);
    if (event.type === "tool_call") console.log(`\n(${event.toolName})`);
  }
  const { cost, toolCalls } = await turn.result;
  console.log(`\n(${toolCalls.length} tool calls, ${cost?.amount ?? "?"} ${cost?.unit ?? "credits"})`);
} finally {
  await client.close();
}
// #endregion
