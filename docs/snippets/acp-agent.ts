// What docs/acp-agent.md shows. Each function holds one region and gives it what it takes for granted.
import { type AcpAgentServer, acpAgent } from "agentwire/acp/agent";
import { directoryStore } from "agentwire/chat/node";
import { codebuffRun } from "agentwire/codebuff-run";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { codey } from "agentwire/codey";

export async function program(url: string): Promise<void> {
  // #region acp-agent-program
  const agent = acpAgent(() => codey({ url, onToolApproval: "manual" }));
  await agent.stdio(); // until the editor leaves
  // #endregion
}

type RunOptions = Parameters<typeof codebuffRun>[0];

export function inTheFolder(options: RunOptions, folder: string): AcpAgentServer {
  // #region acp-agent-session
  const agent = acpAgent(
    ({ cwd, client }) => {
      console.error(`${client.name ?? "somebody"} works in ${cwd}`);
      const { handlers } = nodeTools({ root: cwd, terminal: true });
      return codebuffRun({ ...options, overrideTools: handlers, onToolApproval: "manual" });
    },
    { store: directoryStore(folder), name: "my-agent", title: "My agent", version: "1.0.0" },
  );
  // #endregion
  return agent;
}
