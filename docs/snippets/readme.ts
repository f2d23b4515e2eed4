// What README.md, docs/turns.md, docs/errors.md and docs/backends.md show besides their programs. Each function holds one region and gives it what it takes for granted.
import type { CodebuffClient, CodebuffConversation } from "agentwire/codebuff";
import { isAgentwireError } from "agentwire/codebuff";
import { CodebuffCli, type CodebuffCliOptions, type CodebuffCliResult } from "agentwire/codebuff-cli";
import { CodebuffRun, type CodebuffRunOptions } from "agentwire/codebuff-run";
import { CodeyClient, type CodeyResult, type ToolCall } from "agentwire/codey";

export async function conversation(client: CodebuffClient): Promise<CodebuffConversation> {
  // #region conversation
  const chat = client.conversation();
  await chat.prompt("My name is Ada.").result;
  for await (const text of chat.prompt("What is my name?").textStream) process.stdout.write(text);

  const saved = JSON.stringify(chat.state); // keep it, and go on later, in another process if need be:
  const resumed = client.conversation({ from: JSON.parse(saved) });
  // #endregion
  return resumed;
}

export async function errors(client: CodebuffClient): Promise<void> {
  // #region errors
  try {
    for await (const text of client.prompt("Hello").textStream) process.stdout.write(text);
  } catch (error) {
    if (!isAgentwireError(error)) throw error;
    console.log(error.message);
    if (isAgentwireError(error, "connection-lost") && error.delivery === "unknown") {
      console.log("Ask your user: it may have been done.");
    }
  }
  // #endregion
}

export async function approvals(
  url: string,
  askUser: (call: ToolCall, options: { readonly signal: AbortSignal }) => Promise<boolean>,
): Promise<CodeyResult["usage"]> {
  // #region approvals
  const client = new CodeyClient({
    url,
    toolPolicy: [{ tool: "mcp_web_search", then: "deny" }],
    onToolApproval: (call, { signal }) => askUser(call, { signal }),
  });
  const turn = client.prompt("Tidy up the build folder.");
  turn.on("toolCall", ({ name, state }) => console.log(name, state));
  const { usage } = await turn.result;
  // #endregion
  await client.close();
  return usage;
}

export async function cli(options: CodebuffCliOptions): Promise<CodebuffCliResult["cost"]> {
  // #region codebuff-cli
  const client = new CodebuffCli(options); // { cwd: "my-project" }, say; the program is `codebuff`, from the PATH
  const turn = client.prompt("Fix the failing test.", { timeoutSeconds: 600 });
  turn.on("toolCall", ({ name, state }) => console.log(name, state)); // read_files running, read_files done
  for await (const text of turn.textStream) process.stdout.write(text);
  const { cost } = await turn.result;
  // #endregion
  await client.close();
  return cost;
}

export async function run(
  options: CodebuffRunOptions,
  askUser: (call: ToolCall) => Promise<boolean>,
): Promise<void> {
  const readFolder = async (): Promise<readonly string[]> => ["a.ts", "b.ts"];
  // #region codebuff-run
  const client = new CodebuffRun({
    ...options, // { agent }, and { apiKey } or { providers: [openAiCompatible({ baseUrl, model })] }
    tools: {
      list_files: {
        description: "Lists the files here.",
        parameters: { type: "object", properties: {} },
        execute: async () => [{ type: "json", value: await readFolder() }],
      },
    },
    onToolApproval: (call) => askUser(call),
  });
  const turn = client.prompt("What is here?");
  turn.on("toolCall", ({ name, state }) => console.log(name, state)); // list_files awaiting, ... running, ... done
  for await (const text of turn.textStream) process.stdout.write(text);
  // #endregion
  await client.close();
}
