// What docs/codebuff.md shows. Each function holds one region and gives it what it takes for granted.
import {
  CodebuffClient,
  type CodebuffHandlers,
  type McpConfig,
  type McpTool,
  type ToolOutput,
} from "agentwire/codebuff";

export function content(client: CodebuffClient, bytes: Uint8Array, log: string): void {
  // #region codebuff-content
  client.prompt({
    prompt: "What is wrong in this screenshot?",
    content: [
      { type: "image", image: bytes, mediaType: "image/png" }, // bytes, base64, a data: URL or an address
      { type: "file", name: "error.log", text: log }, // goes as text, under its name
    ],
  });
  // #endregion
}

/** What the app of the page has besides its client. */
export interface Machine {
  weather(city: unknown, options: { readonly signal: AbortSignal }): Promise<unknown>;
  mayRead(path: string): boolean;
  readText(path: string): Promise<string>;
  listTools(server: McpConfig): Promise<readonly McpTool[]>;
  callTool(server: McpConfig | undefined, name: string, input: unknown): Promise<readonly ToolOutput[]>;
}

export function handlers(url: string, authToken: string, machine: Machine): CodebuffClient {
  const { weather, mayRead, readText, listTools, callTool } = machine;
  // #region codebuff-handlers
  const client = new CodebuffClient({
    url,
    authToken,
    tools: {
      get_weather: async ({ input }, { signal }) => [
        { type: "json", value: await weather(input["city"], { signal }) },
      ],
      "*": ({ name }) => [{ type: "json", value: { errorMessage: `${name} is not available here` } }],
    },
    onReadFiles: async (paths) => {
      const texts = paths.filter(mayRead).map(async (path) => [path, await readText(path)] as const);
      return Object.fromEntries(await Promise.all(texts));
    },
    // What an agent's definition says of MCP servers comes from the server: ask your user before you start anything.
    onMcpTools: ({ mcpConfig }) => listTools(mcpConfig),
    onMcpToolCall: ({ name, input, mcpConfig }) => callTool(mcpConfig, name, input),
  });
  // #endregion
  return client;
}

/** The part of the app that people see. */
export interface Screen {
  confirm(text: string, options: { readonly signal: AbortSignal }): Promise<boolean>;
  choose(labels: readonly string[], text: string, options: { readonly signal: AbortSignal }): Promise<string>;
}

export function approvals(url: string, authToken: string, handlers: CodebuffHandlers, screen: Screen) {
  const { confirm, choose } = screen;
  // #region codebuff-approvals
  const client = new CodebuffClient({
    url,
    authToken,
    ...handlers,
    toolPolicy: [
      { tool: "read_files", then: "allow" },
      { tool: "write_file", when: ({ input }) => JSON.stringify(input).includes(".env"), then: "deny" },
    ],
    onToolApproval: async (call, { signal }) => {
      const text = `Let the agent call ${call.name} with ${JSON.stringify(call.input)}?`;
      return (await confirm(text, { signal })) ? "once" : { decision: "reject", reason: "not like this" };
    },
    onQuestion: async ({ questions }, { signal }) => {
      const answers: string[] = [];
      for (const { question, options } of questions) {
        const labels = options.map(({ label }) => label);
        answers.push(await choose(labels, question, { signal })); // a label, or the user's own words
      }
      return answers;
    },
  });
  // #endregion
  return client;
}
