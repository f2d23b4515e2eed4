// #region codebuff-cli-first
import { CodebuffCli } from "agentwire/codebuff-cli";

const client = new CodebuffCli({ cwd: "." }); // the folder that the agent works in
try {
  const turn = client.prompt("Why does the build fail? Change nothing.");
  for await (const event of turn) {
    if (event.type === "text" || event.type === "chunk") process.stdout.write(event.delta);
    if (event.type === "tool_call") console.log(`\n(${event.toolName})`);
  }
  const { toolCalls, cost } = await turn.result;
  console.log(`\n(tool calls: ${toolCalls.length}, credits: ${cost?.amount})`);
} finally {
  await client.close();
}
// #endregion
