// #region codey-first
import { CodeyClient } from "agentwire/codey";

const client = new CodeyClient({
  url: process.env["CODEY_URL"] ?? "ws://127.0.0.1:9999", // used as it is: nothing is added
  // Asked for every tool call; without it every call is denied.
  onToolApproval: ({ name }) => name === "mcp_read_file",
});
try {
  const turn = client.prompt("What is in this repository?");
  for await (const event of turn) {
    if (event.type === "TextDelta") process.stdout.write(event.content);
    if (event.type === "ToolStarted") console.log(`\n(${event.name})`);
  }
  const { rounds, toolCalls, usage } = await turn.result;
  console.log(`\n(${rounds.length} rounds, ${toolCalls.length} calls, ${usage?.outputTokens} tokens)`);
} finally {
  await client.close();
}
// #endregion
