// Script steps that send requests to the client: tools, files, MCP tools.
import { checked, type NamesOf } from "../names.ts";
import type { FileContents, ListedMcpTool, RequestResult, SentToolOutput } from "./messages.ts";
import type { ReceivedAnswer } from "./record.ts";

/** Options of every request step. */
export interface RequestOptions {
  /** @default "request-1", "request-2" and so on, numbered by the server */
  readonly requestId?: string;
  /**
   * Whether the script waits for the answer. If false, the value of the step is the request's id, and
   * `step.answerTo(id)` waits later.
   * @default true
   */
  readonly wait?: boolean;
}

/** A tool-call-request, as the original server sends it. */
export interface AskedToolCall extends RequestOptions {
  readonly toolName: string;
  readonly input: { readonly [key: string]: unknown };
  /**
   * In ms; negative for no timeout. Sent only if set. The server gives up 5 s later, and continues with an
   * `errorMessage`.
   * @default 30_000
   */
  readonly timeout?: number;
  /** The MCP server of the tool. */
  readonly mcpConfig?: AskedMcpConfig;
  /** @default the promptId */
  readonly userInputId?: string;
}

/** A tool-call-request with the field names that the proxy plans. */
export interface PlannedToolCallRequest extends Pick<RequestOptions, "wait"> {
  readonly toolName: string;
  readonly toolArgs: { readonly [key: string]: unknown };
  /** The `requestId` that the answer must repeat. @default "request-1" and so on, numbered by the server */
  readonly toolCallId?: string;
}

/** A read-files or read-files-request. */
export interface AskedFiles extends RequestOptions {
  /** `read-files-request` is the name that the proxy plans. @default "read-files" */
  readonly name?: "read-files" | "read-files-request";
}

/** A request-mcp-tool-data. */
export interface McpToolsRequest extends RequestOptions {
  readonly mcpConfig: AskedMcpConfig;
  /** @default all tools */
  readonly toolNames?: readonly string[];
}

/** How to reach an MCP server. The type and the collections are optional. */
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

/** The request of a request step. */
export interface Asked {
  readonly kind: ReceivedAnswer["kind"];
  readonly requestId: string | undefined;
  readonly wait: boolean | undefined;
  /** The paths that the answer must contain. */
  readonly paths: readonly string[];
  /** ms until the server continues without an answer; undefined for never. */
  readonly patience: number | undefined;
  /** The value of the step after this timeout. */
  readonly late: RequestResult;
  /** The data of the request action. */
  dataFor(requestId: string, promptId: string): Readonly<Record<string, unknown>>;
}

/**
 * A step with a value. `yield` returns the union of all step values; `yield*` returns this step's type:
 *
 * ```ts
 * const output = yield* step.toolCall({ toolName: "get_weather", input: { city: "Oslo" } });
 * ```
 */
export interface RequestStep<Result> {
  readonly kind: "request";
  /** The request, or the id of an earlier request to wait for. */
  readonly asked: Asked | string;
  [Symbol.iterator](): Generator<RequestStep<Result>, Result>;
}

/** The value of a request step. With `wait: false` it is the request's id. */
export type RequestValue<Options, Result> = Options extends { readonly wait: false } ? string : Result;

const OPTIONS: NamesOf<RequestOptions> = { requestId: true, wait: true };
const TOOL: NamesOf<AskedToolCall> = {
  ...OPTIONS,
  toolName: true,
  input: true,
  timeout: true,
  mcpConfig: true,
  userInputId: true,
};
const PLANNED_TOOL: NamesOf<PlannedToolCallRequest> = {
  wait: true,
  toolName: true,
  toolArgs: true,
  toolCallId: true,
};

/** The default timeout of a tool, in ms. */
const TOOL_TIMEOUT = 30_000;
/** ms that the server waits beyond the tool's timeout. */
const TOOL_GRACE = 5_000;
/** ms that the server waits for the tool list of an MCP server. */
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

/** The common part of both forms of a tool-call-request. */
function toolLimits(
  toolName: string,
  timeout = TOOL_TIMEOUT,
): Pick<Asked, "kind" | "paths" | "patience" | "late"> {
  const errorMessage = `Tool call '${toolName}' timed out after ${timeout / 1000}s`;
  const patience = timeout < 0 ? undefined : timeout + TOOL_GRACE;
  return { kind: "tool-call", paths: [], patience, late: [{ type: "json", value: { errorMessage } }] };
}

/**
 * Steps that send a request to the client and return its answer. With `extensions: "nack"` the server would refuse the
 * answer, so the step does not wait and returns an empty value.
 */
export const requestSteps = {
  /** Requests a tool call. The value is its output, or an `errorMessage` after the timeout. */
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
  /** Like `toolCall`, with the field names that the proxy plans but never sends. */
  plannedToolCall<Request extends PlannedToolCallRequest>(
    request: Request,
  ): RequestStep<RequestValue<Request, SentToolOutput>> {
    const { toolCallId: requestId, wait, ...fields } = checked<PlannedToolCallRequest>(request, PLANNED_TOOL);
    const dataFor: Asked["dataFor"] = (id) => ({ type: "tool-call-request", toolCallId: id, ...fields });
    return asking({ ...toolLimits(fields.toolName), requestId, wait, dataFor });
  },
  /** Requests files. The server waits without a limit. */
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
  /** Requests the tool list of an MCP server. The server gives up after 50 s, and continues with an empty list. */
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
