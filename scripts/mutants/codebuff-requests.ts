import { type Mutant, mutantsOf } from "./mutant.ts";

/** What the server asks of this machine: whom it is done for, and how often. */
export const REQUESTS: readonly Mutant[] = [
  ...mutantsOf(
    "codebuff/requests.ts",
    ["codebuff/requests.test.ts"],
    [
      {
        name: "tool-for-cancelled",
        breaks: "a tool is run for a prompt that was cancelled",
        find: '  other: "the prompt was cancelled or has failed",',
        replace: "",
      },
      {
        name: "tool-for-silent",
        breaks: "a tool is run for a prompt that was taken to be over",
        find: '  silent: "the prompt has failed",',
        replace: "",
      },
      {
        name: "tool-for-stranger",
        breaks: "a tool is run for a prompt that this client never made",
        find: '  unknown: "this client has sent no such prompt",',
        replace: "",
      },
      {
        name: "tool-for-unsent",
        breaks: "a tool is run for a prompt that was not sent yet",
        find: '  unsent: "this client has sent no such prompt",',
        replace: "",
      },
      {
        name: "tool-run-twice-at-once",
        breaks: "a call that comes twice is carried out twice while it runs",
        find: "if (this.#tasks.has(key) || this.#called.get(key)) {",
        replace: "if (this.#called.get(key)) {",
      },
      {
        name: "tool-run-twice",
        breaks: "a call that comes again after its answer is carried out again",
        find: "if (this.#tasks.has(key) || this.#called.get(key)) {",
        replace: "if (this.#tasks.has(key)) {",
      },
      {
        name: "called-not-noted",
        breaks: "no call is remembered",
        find: "        this.#called.set(key, true);",
        replace: "",
      },
      {
        name: "called-for-ever",
        breaks: "a call of a new session that counts from the beginning is taken for a repeated one",
        find: "    this.#called = new Recent(REMEMBERED);",
        replace: "",
      },
      {
        name: "key-without-prompt",
        breaks: "calls of two prompts with one id are taken for the same",
        find: "JSON.stringify([request.type, id, request.userInputId ?? null, request.toolName])",
        replace: "JSON.stringify([request.type, id, request.toolName])",
      },
      {
        name: "key-without-type",
        breaks: "requests of two kinds with one id are taken for the same",
        find: "return JSON.stringify([request.type, id]);",
        replace: "return JSON.stringify([id]);",
      },
      {
        name: "any-handler",
        breaks: "a tool's name may be that of a member of every object",
        find: "const own = Object.hasOwn(tools, toolName) ? tools[toolName] : tools",
        replace: "const own = toolName in tools ? tools[toolName] : tools",
      },
      {
        name: "mcp-runs-own-tool",
        breaks: "a tool of an MCP server runs the one of this machine that goes by its name",
        find: "const handler = mcpConfig ? onMcpToolCall : own;",
        replace: "const handler = own ?? onMcpToolCall;",
      },
      {
        name: "no-handler-no-answer",
        breaks: "a tool that nobody is registered for is not answered",
        find: '      this.#refuse(session, "tool-call-response", failed(why ?? ""));',
        replace: "",
      },
      {
        name: "no-files-no-answer",
        breaks: "files are not answered without a handler",
        find: '      this.#refuse(session, "read-files-response", answer({}));',
        replace: "",
      },
      {
        name: "no-mcp-no-answer",
        breaks: "the tools of an MCP server are not answered without a handler",
        find: '      this.#refuse(session, "mcp-tool-data", failed());',
        replace: "",
      },
      {
        name: "unreadable-no-answer",
        breaks: "a call that cannot be read is not answered",
        find: '    if (type === "tool-call-request")\n',
        replace: '    if (type === "another")\n',
      },
      {
        name: "unreadable-mcp-no-answer",
        breaks: "a request for MCP tools that cannot be read is answered as one for files",
        find: '    else if (type === "request-mcp-tool-data")\n',
        replace: '    else if (type === "another")\n',
      },
    ],
  ),
];
