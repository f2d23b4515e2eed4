// What docs/tools.md shows. Each function holds one region and gives it what it takes for granted.
import { CodebuffClient, type ToolCall } from "agentwire/codebuff";
import { CodebuffRun, type CodebuffRunOptions } from "agentwire/codebuff-run";
import { loadAgents, mcpServers, type NodeTools, nodeTools } from "agentwire/codebuff-run/tools";

export function gate(
  runOptions: CodebuffRunOptions,
  askUser: (call: ToolCall) => Promise<boolean>,
): CodebuffRun {
  // #region tools-gate
  const client = new CodebuffRun({
    ...runOptions, // with `tools` or `overrideTools`
    toolPolicy: [{ tool: "read_files", then: "allow" }],
    onToolApproval: (call) => askUser(call), // everything else
  });
  // #endregion
  return client;
}

export function withProject(tools: NodeTools, options: CodebuffRunOptions): CodebuffRun {
  // #region tools-project
  const client = new CodebuffRun({
    ...options,
    agent: {
      id: "coder",
      displayName: "Coder",
      model: "openai/gpt-5-mini",
      systemPrompt:
        "You work on this project.\n\n{CODEBUFF_FILE_TREE_PROMPT}\n\n{CODEBUFF_KNOWLEDGE_FILES_CONTENTS}",
      toolNames: tools.names,
    },
    overrideTools: tools.handlers,
    project: tools.project,
  });
  // #endregion
  return client;
}

export async function undo(client: CodebuffRun, tools: NodeTools): Promise<void> {
  // #region tools-undo
  const turn = client.prompt("Rename the parser.");
  await turn.outcome; // also behind a run that has failed, or was cancelled
  const changes = tools.changes(turn);
  for (const { path, action, diff } of changes.list()) console.log(`${action} ${path}\n${diff}`);
  const { reverted, conflicts } = await changes.revert();
  console.log(`taken back: ${reverted.join(", ")}`);
  for (const { path, reason } of conflicts) console.log(`left alone: ${path}: ${reason}`);
  // #endregion
}

export function server(url: string, root: string): CodebuffClient {
  // #region tools-server
  const tools = nodeTools({ root });
  const client = new CodebuffClient({
    url,
    tools: tools.handlers,
    onReadFiles: tools.readFiles,
    toolPolicy: [{ tool: "read_files", then: "allow" }],
    onToolApproval: (call) => user.confirm(call.name, call.input),
  });
  // #endregion
  return client;
}

export function mcp(runOptions: CodebuffRunOptions): CodebuffRun {
  // #region tools-mcp
  const client = new CodebuffRun({
    ...runOptions,
    toolSources: mcpServers({
      tickets: { command: "npx", args: ["-y", "@acme/tickets-mcp"], env: { TICKETS_KEY: "$TICKETS_KEY" } },
      docs: { url: "https://docs.acme.example/mcp", headers: { authorization: "Bearer $DOCS_TOKEN" } },
    }),
    onToolApproval: (call) => user.confirm(call.name, call.input), // `tickets__create` and others
  });
  // #endregion
  return client;
}

export async function agents(runOptions: CodebuffRunOptions): Promise<CodebuffRun> {
  // #region tools-agents
  const { agents, problems } = await loadAgents(".agents");
  for (const { file, message } of problems) console.warn(`${file}: ${message}`);
  const client = new CodebuffRun({ ...runOptions, agentDefinitions: agents, agent: "reviewer" });
  // #endregion
  return client;
}

const user = {
  async confirm(name: string, input: unknown): Promise<boolean> {
    console.log(name, input);
    return false;
  },
};
