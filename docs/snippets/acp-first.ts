// #region acp-first
import { AcpClient, acp } from "agentwire/acp";

const client = new AcpClient({
  ...acp.presets.gemini({ cwd: ".", keepEnv: ["GEMINI_API_KEY"] }), // or { command: "gemini", args: ["--acp"], cwd: "." }
  onToolApproval: ({ name, input }) => {
    console.log(`\n(it wants: ${name} ${JSON.stringify(input)})`);
    return false; // a function that asks your user belongs here
  },
});
try {
  for await (const text of client.prompt("Why does the build fail?").textStream) process.stdout.write(text);
} finally {
  await client.close(); // ends the agent, and all that it has started
}
// #endregion
