// What docs/backends.md shows of ACP agents. The function holds one region and gives it what it takes for granted.
import { AcpClient, acp, type ToolCall } from "agentwire/acp";

export async function drive(askUser: (call: ToolCall) => Promise<boolean>): Promise<void> {
  // #region acp
  const client = new AcpClient({
    ...acp.presets.gemini({ cwd: "my-project", keepEnv: ["GEMINI_API_KEY"] }), // or { command, args }
    onToolApproval: (call) => askUser(call),
  });
  const talk = client.conversation();
  for await (const text of talk.prompt("Fix the failing test.").textStream) process.stdout.write(text);
  const { usage, toolCalls } = await talk.prompt("What did you change?").result; // the same session
  console.log(usage, toolCalls.length, talk.session?.modes?.current); // { inputTokens, ... } 2 default
  // #endregion
  await client.close();
}
