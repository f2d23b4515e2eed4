// What docs/acp.md shows. Each function holds one region and gives it what it takes for granted.
import { AcpClient, type AcpOptions, acp } from "agentwire/acp";
import { type Chat, type ChatStore, createChat } from "agentwire/chat";
import { nodeTools } from "agentwire/codebuff-run/tools";

export function chatOver(cwd: string, store: ChatStore): Chat {
  // #region acp-chat
  const source = acp({
    ...acp.presets.claude({ cwd, keepEnv: ["ANTHROPIC_API_KEY"] }),
    onToolApproval: "manual",
  });
  const chat = createChat(source, { store }); // hooks and the terminal chat take the source, too
  // #endregion
  return chat;
}

export function withFiles(cwd: string, onToolApproval: AcpOptions["onToolApproval"] & {}): AcpClient {
  // #region acp-files
  const files = nodeTools({ root: cwd, terminal: true }); // of agentwire/codebuff-run/tools; the same folder as `cwd`
  const client = new AcpClient({ command: "kimi", args: ["acp"], cwd, files, onToolApproval });
  // #endregion
  return client;
}

export async function goOn(client: AcpClient): Promise<readonly unknown[]> {
  // #region acp-sessions
  const talk = client.conversation();
  await talk.prompt("Fix the failing test.").result;
  await talk.prompt("What did you change?").result; // the same session
  console.log(talk.session?.modes?.current, talk.session?.models?.available, talk.session?.commands);
  const kept = JSON.stringify(talk.state); // for a later process, in the same folder

  const later = client.conversation({ from: JSON.parse(kept) });
  const messages = await later.load(); // the agent repeats them, if it can
  // #endregion
  return messages;
}
