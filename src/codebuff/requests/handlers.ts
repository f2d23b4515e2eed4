// The caller's handlers for tools, files and MCP tools: their types, calls and checked outputs.
import { isToolOutput, type ToolOutput } from "../../codebuff-events/print-mode.ts";
import { describe, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { ToolCall, ToolPreview } from "../../core/values.ts";
import type { McpConfig, McpToolDataRequest, ToolCallRequest } from "../extensions.ts";

/** A tool call that the server wants this machine to run. */
export interface CodebuffToolCall extends ToolCall {
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * For `onMcpToolCall`: the MCP server of the tool. The agent's definition chooses the MCP server: ask your user before you start
   * anything.
   */
  readonly mcpConfig?: McpConfig;
  /** The server's message, unchanged. */
  readonly raw: ToolCallRequest;
}

/** The second argument of a handler, besides its request. */
export interface HandlerContext {
  /**
   * Aborted when the answer is no longer needed: the time limit has passed, the link is lost, or the turn of the tool call was cancelled
   * or has failed.
   */
  readonly signal: AbortSignal;
}

/** One tool of an MCP server, as that MCP server lists it. */
export interface McpTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly type: "object" } & Readonly<Record<string, unknown>>;
}

/**
 * Runs one tool and returns its output. If the handler throws, the server gets the error as the tool's failure.
 * @returns one part for most tools: `[{ type: "json", value: { ... } }]`.
 */
export interface CodebuffToolHandler {
  (call: CodebuffToolCall, context: HandlerContext): readonly ToolOutput[] | Promise<readonly ToolOutput[]>;
  /** Tells what a call would change, for its approval. Called before the user is asked, for 2 s at most. Handlers of `nodeTools` that edit have it. */
  readonly preview?: (
    call: CodebuffToolCall,
    context: HandlerContext,
  ) => readonly ToolPreview[] | undefined | Promise<readonly ToolPreview[] | undefined>;
}

/** Reads files for the server. Returns texts by path; `null` or no entry for a file that cannot be read or must not be sent. */
export type ReadFilesHandler = (
  paths: readonly string[],
  context: HandlerContext,
) => FilesRead | Promise<FilesRead>;

/** Texts by path. */
export type FilesRead = Readonly<Record<string, string | null | undefined>>;

/**
 * Lists the tools of an MCP server. The Codebuff server chooses the address of the MCP server: ask your user before you start anything.
 */
export type McpToolsHandler = (
  request: McpToolDataRequest,
  context: HandlerContext,
) => readonly McpTool[] | Promise<readonly McpTool[]>;

/**
 * Handlers of the server's requests to this machine. Each request is answered once. A request is answered with an error, and a
 * `protocolWarning` says so, if it has no handler (`unhandled-request`), the handler fails or returns something else (`handler-failed`), or
 * its prompt is not under way (`unwanted-request`). Such a request asks nobody. A call without a prompt belongs to the only one under way.
 *
 * Time limits, decisions included: tools 30 s, or what the request or its input (`timeout_seconds`) asks for, and 4 s to report a time-out;
 * files 30 s; lists of MCP tools 45 s. A tool call that comes twice runs once (the last 256 are remembered). More than 100 requests at
 * once are refused. A tool that runs goes on after its prompt has completed.
 */
export interface CodebuffHandlers {
  /**
   * Handlers by tool name. `"*"` handles every other name. Tools of MCP servers go to `onMcpToolCall`. The tool `ask_user` goes to
   * `onQuestion`; only without that option does a handler `ask_user` get its calls, as any other tool.
   */
  readonly tools?: Readonly<Record<string, CodebuffToolHandler>>;
  /** For rules and approvals, the call is `read_files` with the input `{ filePaths }`. It belongs to the only turn under way, if any. */
  readonly onReadFiles?: ReadFilesHandler;
  /** For rules and approvals, the call is `mcp_tools` with the input `{ mcpConfig, toolNames }`, and belongs to no turn. */
  readonly onMcpTools?: McpToolsHandler;
  /**
   * Runs one tool of an MCP server. `call.mcpConfig` identifies the MCP server. A grant covers calls with the same configuration, and no
   * other tool of the same name.
   */
  readonly onMcpToolCall?: CodebuffToolHandler;
}

/** @throws InvalidInputError when a tool's handler did not return tool output. */
export function readHandlerOutput(output: unknown): readonly ToolOutput[] {
  if (Array.isArray(output) && output.every(isToolOutput) && output.every(canBeWritten)) return output;
  throw notWhatItShouldBe(output, 'an array of parts, such as [{ type: "json", value: { done: true } }]');
}

/** Whether JSON can represent the value. JSON omits other values, and the server then refuses the part. */
function canBeWritten(part: ToolOutput): boolean {
  return part.type === "media" || JSON.stringify(part.value) !== undefined;
}

/** @throws InvalidInputError when the handler did not return texts by path. A promise of a text is no text. */
export function readHandlerFiles(files: unknown): FilesRead {
  const expected = "an object of texts by path, with null for what cannot be read";
  if (!isObject(files) || files instanceof Map) throw notWhatItShouldBe(files, expected);
  for (const [path, text] of Object.entries(files)) {
    if (text == null || typeof text === "string") continue;
    const what = `${describe(text)} for ${JSON.stringify(path)}`;
    throw new InvalidInputError(
      `the handler returned ${what}.`,
      `It must return ${expected}; await what it reads.`,
    );
  }
  return files as FilesRead;
}

export function fileText(files: FilesRead, path: string): string | null {
  return (Object.hasOwn(files, path) ? files[path] : null) ?? null;
}

export function notWhatItShouldBe(value: unknown, expected: string): InvalidInputError {
  return new InvalidInputError(`the handler returned ${describe(value)}.`, `It must return ${expected}.`);
}
