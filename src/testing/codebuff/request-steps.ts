// Script steps that ask the client: tools, files, MCP tools.
import { checked, type NamesOf } from "../names.ts";
import type { FileContents, McpTool, RequestResult, ToolOutput } from "./client-actions.ts";

/** What every request step can be told. */
export interface RequestOptions {
  /** @default "request-1", "request-2" and so on, counted by the server */
  readonly requestId?: string;
  /**
   * Whether the script waits for the answer. Without, the value of the step is the id of the request, and
   * `step.answerTo(id)` waits later.
   * @default true
   */
  readonly wait?: boolean;
}

/** A tool-call-request as the original server sends it. */
export interface ToolCallRequest extends RequestOptions {
  readonly toolName: string;
  readonly input: { readonly [key: string]: unknown };
  /**
   * In ms, negative for none. It is sent only when it is given; the server itself gives up 5 s later, and
   * goes on with an `errorMessage`.
   * @default 30_000
   */
  readonly timeout?: number;
  /** The MCP server that has the tool. */
  readonly mcpConfig?: McpConfig;
  /** @default the promptId */
  readonly userInputId?: string;
}

/** A tool-call-request with the field names that the proxy has planned. */
export interface PlannedToolCallRequest extends Omit<RequestOptions, "requestId"> {
  readonly toolName: string;
  readonly toolArgs: { readonly [key: string]: unknown };
  /** What the answer names as its `requestId`. @default "request-1" and so on, counted by the server */
  readonly toolCallId?: string;
}

/** A read-files, or a read-files-request. */
export interface ReadFilesRequest extends RequestOptions {
  /** `read-files-request` is the name that the proxy has planned. @default "read-files" */
  readonly name?: "read-files" | "read-files-request";
}

/** A request-mcp-tool-data. */
export interface McpToolsRequest extends RequestOptions {
  readonly mcpConfig: McpConfig;
  /** @default all tools */
  readonly toolNames?: readonly string[];
}

/** How to reach an MCP server; the type and the collections may be left out. */
export type McpConfig =
  | {
      readonly type?: "stdio";
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: { readonly [name: string]: string };
    }
  | {
      readonly type?: "http" | "sse";
      readonly url: string;
      readonly params?: { readonly [name: string]: string };
      readonly headers?: { readonly [name: string]: string };
    };

/** What a request step asks for. */
export type Asked =
  | { readonly kind: "tool-call"; readonly request: ToolCallRequest }
  | { readonly kind: "planned-tool-call"; readonly request: PlannedToolCallRequest }
  | { readonly kind: "read-files"; readonly filePaths: readonly string[]; readonly request: ReadFilesRequest }
  | { readonly kind: "mcp-tools"; readonly request: McpToolsRequest };

/**
 * A step with a value. `yield` gives it as any of the values that steps have; `yield*` gives it with its type:
 *
 * ```ts
 * const output = yield* step.toolCall({ toolName: "get_weather", input: { city: "Oslo" } });
 * ```
 */
export type ValueStep<Result> = RequestStep<Result> | AnswerToStep<Result>;

export interface RequestStep<Result> {
  readonly kind: "request";
  readonly asked: Asked;
  [Symbol.iterator](): Generator<RequestStep<Result>, Result>;
}

export interface AnswerToStep<Result> {
  readonly kind: "answer-to";
  readonly requestId: string;
  [Symbol.iterator](): Generator<AnswerToStep<Result>, Result>;
}

/** The script waits for the answer, which is the value of the step. */
export interface WaitForAnswer {
  readonly wait?: true;
}

/** The script goes on at once; the value of the step is the id of the request. */
export interface WithoutWaiting {
  readonly wait: false;
}

const OPTIONS: NamesOf<RequestOptions> = { requestId: true, wait: true };
const TOOL_CALL: NamesOf<ToolCallRequest> = {
  ...OPTIONS,
  toolName: true,
  input: true,
  timeout: true,
  mcpConfig: true,
  userInputId: true,
};
const PLANNED_TOOL_CALL: NamesOf<PlannedToolCallRequest> = {
  wait: true,
  toolName: true,
  toolArgs: true,
  toolCallId: true,
};
const READ_FILES: NamesOf<ReadFilesRequest> = { ...OPTIONS, name: true };
const MCP_TOOLS: NamesOf<McpToolsRequest> = { ...OPTIONS, mcpConfig: true, toolNames: true };

function asking<Result>(asked: Asked): RequestStep<Result> {
  const made: RequestStep<Result> = {
    kind: "request",
    asked,
    *[Symbol.iterator]() {
      return yield made;
    },
  };
  return made;
}

function toolCall(request: ToolCallRequest & WaitForAnswer): RequestStep<ToolOutput>;
function toolCall(request: ToolCallRequest & WithoutWaiting): RequestStep<string>;
function toolCall(request: ToolCallRequest): RequestStep<ToolOutput | string> {
  return asking({ kind: "tool-call", request: checked(request, TOOL_CALL) });
}

function plannedToolCall(request: PlannedToolCallRequest & WaitForAnswer): RequestStep<ToolOutput>;
function plannedToolCall(request: PlannedToolCallRequest & WithoutWaiting): RequestStep<string>;
function plannedToolCall(request: PlannedToolCallRequest): RequestStep<ToolOutput | string> {
  return asking({ kind: "planned-tool-call", request: checked(request, PLANNED_TOOL_CALL) });
}

function readFiles(
  filePaths: readonly string[],
  request?: ReadFilesRequest & WaitForAnswer,
): RequestStep<FileContents>;
function readFiles(
  filePaths: readonly string[],
  request: ReadFilesRequest & WithoutWaiting,
): RequestStep<string>;
function readFiles(
  filePaths: readonly string[],
  request: ReadFilesRequest = {},
): RequestStep<FileContents | string> {
  return asking({ kind: "read-files", filePaths, request: checked(request, READ_FILES) });
}

function requestMcpTools(request: McpToolsRequest & WaitForAnswer): RequestStep<readonly McpTool[]>;
function requestMcpTools(request: McpToolsRequest & WithoutWaiting): RequestStep<string>;
function requestMcpTools(request: McpToolsRequest): RequestStep<readonly McpTool[] | string> {
  return asking({ kind: "mcp-tools", request: checked(request, MCP_TOOLS) });
}

function answerTo(requestId: string): AnswerToStep<RequestResult> {
  const made: AnswerToStep<RequestResult> = {
    kind: "answer-to",
    requestId,
    *[Symbol.iterator]() {
      return yield made;
    },
  };
  return made;
}

/**
 * Steps that ask the client for something and go on with its answer. With `extensions: "nack"` the server
 * would refuse the answer, so it does not wait, and the value is an empty one.
 */
export const requestSteps = {
  /** Asks for a tool. The value is its output, or an `errorMessage` when the server has given up. */
  toolCall,
  /** The same in the field names that the proxy has planned and never sent. */
  plannedToolCall,
  /** Asks for files. The server waits for ever. */
  readFiles,
  /** Asks which tools an MCP server has. The server gives up after 50 s, and goes on with none. */
  requestMcpTools,
  /** Waits for the answer to a request that was sent with `wait: false`. */
  answerTo,
};

/** The data of the action that asks. */
export function requestData(
  asked: Asked,
  requestId: string,
  promptId: string,
): Readonly<Record<string, unknown>> {
  switch (asked.kind) {
    case "tool-call": {
      const { userInputId = promptId, toolName, input, timeout, mcpConfig } = asked.request;
      return { type: "tool-call-request", userInputId, requestId, toolName, input, timeout, mcpConfig };
    }
    case "planned-tool-call": {
      const { toolName, toolArgs } = asked.request;
      return { type: "tool-call-request", toolCallId: requestId, toolName, toolArgs };
    }
    case "read-files":
      return { type: asked.request.name ?? "read-files", requestId, filePaths: asked.filePaths };
    case "mcp-tools": {
      const { mcpConfig, toolNames } = asked.request;
      return { type: "request-mcp-tool-data", requestId, mcpConfig, toolNames };
    }
  }
}
