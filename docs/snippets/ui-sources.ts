import { acp } from "agentwire/acp";
import { cass } from "agentwire/cass";
import { type Chat, createChat } from "agentwire/chat";
import { codebuff } from "agentwire/codebuff";
import { codebuffCli } from "agentwire/codebuff-cli";
import { type AgentDefinition, codebuffRun } from "agentwire/codebuff-run";
import { codey } from "agentwire/codey";

export function sources(url: string, token: string, agent: AgentDefinition): readonly Chat[] {
  // #region ui-sources
  const sources = {
    codebuff: codebuff({ url, onToolApproval: "manual", onQuestion: "manual" }),
    codey: codey({ url, onToolApproval: "manual" }),
    cass: cass({ url, token, recover: true }),
    cli: codebuffCli({ cwd: "my-project" }),
    run: codebuffRun({ agent, onToolApproval: "manual", onQuestion: "manual" }),
    acp: acp({ command: "gemini", args: ["--acp"], onToolApproval: "manual", onQuestion: "manual" }),
  };
  const chat = createChat(sources.cass); // the only line that knows
  // #endregion
  return [chat, ...Object.values(sources).map((source) => createChat(source))];
}
