// Script steps that ask the client: tools, files, MCP tools.
import { checked, type NamesOf } from "../names.ts";
import type { FileContents, ListedMcpTool, RequestResult, SentToolOutput } from "./messages.ts";
import type { ReceivedAnswer } from "./record.ts";

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
export interface AskedToolCall extends RequestOptions {
  readonly toolName: string;
  readonly input: { readonly [key: string]: unknown };
  /**
   * In ms, negative for none. It is sent only when it is given; the server itself gives up 5 s later, and
   * goes on with an `errorMessage`.
   * @default 30_000
   */
  readonly timeout?: number;
  /** The MCP server that has the tool. */
  readonly mcpConfig?: AskedMcpConfig;
  /** @default the promptId */
  readonly userInputId?: string;
}

/** A tool-call-request with the field names that the proxy has planned. */
export interface PlannedToolCallRequest extends Pick<RequestOptions, "wait"> {
  readonly toolName: string;
  readonly toolArgs: { readonly [key: string]: unknown };
  /** What the answer names as its `requestId`. @default "request-1" and so on, counted by the server */
  readonly toolCallId?: string;
}

/** A read-files, or a read-files-request. */
export interface AskedFiles extends RequestOptions {
  /** `read-files-request` is the name that the proxy has planned. @default "read-files" */
  readonly name?: "read-files" | "read-files-request";
}

/** A request-mcp-tool-data. */
export interface McpToolsRequest extends RequestOptions {
  readonly mcpConfig: AskedMcpConfig;
  /** @default all tools */
  readonly toolNames?: readonly string[];
}

/** How to reach an MCP server; the type and the collections may be left out. */
export type AskedMcpConfig =
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
export interface Asked {
  readonly kind: ReceivedAnswer["kind"];
  readonly requestId: string | undefined;
  readonly wait: boolean | undefined;
  /** The paths that the answer must have. */
  readonly paths: readonly string[];
  /** ms until the server goes on without an answer; undefined for never. */
  readonly patience: number | undefined;
  /** The value of the step then. */
  readonly late: RequestResult;
  /** The data of the action that asks. */
  dataFor(requestId: string, promptId: string): Readonly<Record<string, unknown>>;
}

/**
 * A step with a value. `yield` gives it as any of the values that steps have; `yield*` gives it with its type:
 *
 * ```ts
 * const output = yield* step.toolCall({ toolName: "get_weather", input: { city: "Oslo" } });
 * ```
 */
export interface RequestStep<Result> {
  readonly kind: "request";
  /** What it asks for, or the id of a request whose answer it waits for. */
  readonly asked: Asked | string;
  [Symbol.iterator](): Generator<RequestStep<Result>, Result>;
}

/** The value of a request step: without waiting it is the id of the request. */
export type RequestValue<Options, Result> = Options extends { readonly wait: false } ? string : Result;

const OPTIONS: NamesOf<RequestOptions> = { requestId: true, wait: true };
const TOOL = { ...OPTIONS, toolName: true, input: true, timeout: true, mcpConfig: true, userInputId: true };
const PLANNED_TOOL = { wait: true, toolName: true, toolArgs: true, toolCallId: true };

/** ms that a tool may take when the request does not say. */
const TOOL_TIMEOUT = 30_000;
/** ms that the server waits for the answer on top of what the tool may take. */
const TOOL_GRACE = 5_000;
/** ms that the server waits for the tools of an MCP server. */
const MCP_TIMEOUT = 50_000;

function asking<Result>(asked: Asked | string): RequestStep<Result> {
  const made: RequestStep<Result> = {
    kind: "request",
    asked,
    *[Symbol.iterator]() {
      return yield made;
    },
  };
  return made;
}

/** What is the same for both shapes of a tool-call-request. */
function toolLimits(
  toolName: string,
  timeout = TOOL_TIMEOUT,
): Pick<Asked, "kind" | "paths" | "patience" | "late"> {
  const errorMessage = `Tool call '${toolName}' timed out after ${timeout / 1000}s`;
  const patience = timeout < 0 ? undefined : timeout + TOOL_GRACE;
  return { kind: "tool-call", paths: [], patience, late: [{ type: "json", value: { errorMessage } }] };
}

/**
 * Steps that ask the client for something and go on with its answer. With `extensions: "nack"` the server
 * would refuse the answer, so it does not wait, and the value is an empty one.
 */
export const requestSteps = {
  /** Asks for a tool. The value is its output, or an `errorMessage` when the server has given up. */
  toolCall<Request extends AskedToolCall>(
    request: Request,
  ): RequestStep<RequestValue<Request, SentToolOutput>> {
    const { requestId, wait, userInputId, ...fields } = checked<AskedToolCall>(request, TOOL);
    return asking({
      ...toolLimits(fields.toolName, fields.timeout),
      ...{ requestId, wait },
      dataFor: (id, promptId) => {
        return { type: "tool-call-request", userInputId: userInputId ?? promptId, requestId: id, ...fields };
      },
    });
  },
  /** The same in the field names that the proxy has planned and never sent. */
  plannedToolCall<Request extends PlannedToolCallRequest>(
    request: Request,
  ): RequestStep<RequestValue<Request, SentToolOutput>> {
    const { toolCallId: requestId, wait, ...fields } = checked<PlannedToolCallRequest>(request, PLANNED_TOOL);
    const dataFor: Asked["dataFor"] = (id) => ({ type: "tool-call-request", toolCallId: id, ...fields });
    return asking({ ...toolLimits(fields.toolName), requestId, wait, dataFor });
  },
  /** Asks for files. The server waits for ever. */
  readFiles<Request extends AskedFiles>(
    filePaths: readonly string[],
    request?: Request,
  ): RequestStep<RequestValue<Request, FileContents>> {
    const options: AskedFiles = checked(request ?? {}, { ...OPTIONS, name: true });
    const { requestId, wait, name: type = "read-files" } = options;
    const dataFor: Asked["dataFor"] = (id) => ({ type, requestId: id, filePaths });
    return asking({
      kind: "read-files",
      paths: filePaths,
      patience: undefined,
      late: {},
      requestId,
      wait,
      dataFor,
    });
  },
  /** Asks which tools an MCP server has. The server gives up after 50 s, and goes on with none. */
  requestMcpTools<Request extends McpToolsRequest>(
    request: Request,
  ): RequestStep<RequestValue<Request, readonly ListedMcpTool[]>> {
    const options = checked<McpToolsRequest>(request, { ...OPTIONS, mcpConfig: true, toolNames: true });
    const { requestId, wait, ...fields } = options;
    const dataFor: Asked["dataFor"] = (id) => ({ type: "request-mcp-tool-data", requestId: id, ...fields });
    return asking({
      kind: "mcp-tools",
      paths: [],
      patience: MCP_TIMEOUT,
      late: [],
      requestId,
      wait,
      dataFor,
    });
  },
  /** Waits for the answer to a request that was sent with `wait: false`. */
  answerTo: (requestId: string): RequestStep<RequestResult> => asking(requestId),
};
