// Messages of the original server that the published protocol does not have, with their schemas.
import * as z from "zod/mini";
import { isListOfStrings } from "../codebuff-events/print-mode.ts";
import { isObject } from "../core/checks.ts";
import type { Reads, Shape } from "../core/schemas.ts";
import { boolean, finite, lazy, literal, type Nullish, nullish, optional } from "../core/schemas.ts";

/**
 * The address or command of an MCP server, from the agent's definition. The Codebuff server sends it: never run it without asking the
 * user.
 */
export interface McpConfig {
  readonly type?: Nullish<string>;
  readonly command?: Nullish<string>;
  readonly args?: Nullish<readonly string[]>;
  readonly env?: Nullish<Readonly<Record<string, string>>>;
  readonly url?: Nullish<string>;
  readonly params?: Nullish<Readonly<Record<string, unknown>>>;
  readonly headers?: Nullish<Readonly<Record<string, string>>>;
}

/** The server asks this machine to run a tool. Two shapes: `requestId` and `input`, or `toolCallId` and `toolArgs`. */
export interface ToolCallRequest {
  readonly type: "tool-call-request";
  readonly userInputId?: Nullish<string>;
  readonly requestId?: Nullish<string>;
  readonly toolCallId?: Nullish<string>;
  readonly toolName: string;
  readonly input?: Nullish<Readonly<Record<string, unknown>>>;
  readonly toolArgs?: Nullish<Readonly<Record<string, unknown>>>;
  /** ms; negative: no limit. */
  readonly timeout?: Nullish<number>;
  readonly mcpConfig?: Nullish<McpConfig>;
}

/** The server asks for files of this machine. The request has two names. */
export interface ReadFilesRequest {
  readonly type: "read-files" | "read-files-request";
  readonly requestId: string;
  readonly filePaths: readonly string[];
}

/** The server asks for the tools of an MCP server. */
export interface McpToolDataRequest {
  readonly type: "request-mcp-tool-data";
  readonly requestId: string;
  readonly mcpConfig: McpConfig;
  /** The wanted tools; absent: all tools. */
  readonly toolNames?: Nullish<readonly string[]>;
}

/** The server's requests to this machine. Each request is answered exactly once. */
export type ServerRequest = ToolCallRequest | ReadFilesRequest | McpToolDataRequest;

/** Text of a sub-agent that works for a prompt. Not part of the prompt's text. */
export interface SubagentChunk {
  readonly type: "subagent-response-chunk";
  readonly userInputId: string;
  readonly agentId: string;
  readonly agentType: string;
  readonly chunk: string;
  readonly prompt?: Nullish<string>;
  readonly forwardToPrompt?: Nullish<boolean>;
}

/** The cost of one step of a prompt. */
export interface MessageCost {
  readonly type: "message-cost-response";
  readonly promptId: string;
  readonly credits: number;
  readonly agentId?: Nullish<string>;
}

/** A log line of an agent's program. */
export interface LogChunk {
  readonly type: "handlesteps-log-chunk";
  readonly userInputId: string;
  readonly agentId: string;
  /** `debug`, `info`, `warn` or `error`. */
  readonly level: string;
  readonly data?: unknown;
  readonly message?: Nullish<string>;
}

/** Credits by their source. */
export type BalanceBreakdown = Readonly<Record<string, number>>;

/** The account's use of credits. The server may send it at any time. */
export interface UsageResponse {
  readonly type: "usage-response";
  /** Credits used in this period. */
  readonly usage: number;
  readonly remainingBalance: number;
  readonly balanceBreakdown?: Nullish<BalanceBreakdown>;
  /** ISO 8601. */
  readonly next_quota_reset?: Nullish<string>;
  readonly autoTopupAdded?: Nullish<number>;
  readonly autoTopupEnabled?: Nullish<boolean>;
}

/** The server is about to shut down. */
export interface ReconnectRequest {
  readonly type: "request-reconnect";
}

export const anyObject = z.custom<Readonly<Record<string, unknown>>>(isObject);

/** A balance or a number of credits. The published proxy sends `Infinity`. */
export const amount = z.custom<number>((value) => typeof value === "number");

export const breakdown = z.custom<BalanceBreakdown>((value) => isRecordOf("number", value));

const strings = z.custom<readonly string[]>(isListOfStrings);

export function isRecordOf(kind: "string" | "number", value: unknown): boolean {
  return isObject(value) && Object.values(value).every((field) => typeof field === kind);
}

const isString = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => isRecordOf("string", value);

/** The type of each given field of the configuration. The handler that starts the MCP server relies on these types. */
const MCP_FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: isString,
  command: isString,
  args: isListOfStrings,
  env: isTexts,
  url: isString,
  params: isObject,
  headers: isTexts,
};

const mcpConfig = z.custom<McpConfig>(
  (value) =>
    isObject(value) &&
    Object.entries(MCP_FIELDS).every(([name, holds]) => value[name] == null || holds(value[name])),
);

// Lazy, as in messages.ts.
const toolCallRequest = lazy(() =>
  z.looseObject({
    type: literal("tool-call-request"),
    userInputId: nullish(z.string()),
    requestId: nullish(z.string()),
    toolCallId: nullish(z.string()),
    toolName: z.string(),
    input: nullish(anyObject),
    toolArgs: nullish(anyObject),
    timeout: optional(finite),
    mcpConfig: nullish(mcpConfig),
  } satisfies Shape<ToolCallRequest>),
);

const readFilesRequest = lazy(() =>
  z.looseObject({
    type: literal("read-files", "read-files-request"),
    requestId: z.string(),
    filePaths: strings,
  } satisfies Shape<ReadFilesRequest>),
);

const mcpToolDataRequest = lazy(() =>
  z.looseObject({
    type: literal("request-mcp-tool-data"),
    requestId: z.string(),
    mcpConfig,
    toolNames: optional(strings),
  } satisfies Shape<McpToolDataRequest>),
);

const subagentChunk = lazy(() =>
  z.looseObject({
    type: literal("subagent-response-chunk"),
    userInputId: z.string(),
    agentId: z.string(),
    agentType: z.string(),
    chunk: z.string(),
    prompt: optional(z.string()),
    forwardToPrompt: optional(boolean),
  } satisfies Shape<SubagentChunk>),
);

const messageCost = lazy(() =>
  z.looseObject({
    type: literal("message-cost-response"),
    promptId: z.string(),
    credits: amount,
    agentId: optional(z.string()),
  } satisfies Shape<MessageCost>),
);

const logChunk = lazy(() =>
  z.looseObject({
    type: literal("handlesteps-log-chunk"),
    userInputId: z.string(),
    agentId: z.string(),
    level: z.string(),
    data: optional(z.unknown()),
    message: optional(z.string()),
  } satisfies Shape<LogChunk>),
);

const usageResponse = lazy(() =>
  z.looseObject({
    type: literal("usage-response"),
    usage: amount,
    remainingBalance: amount,
    balanceBreakdown: optional(breakdown),
    next_quota_reset: optional(z.string()),
    autoTopupAdded: optional(amount),
    autoTopupEnabled: optional(boolean),
  } satisfies Shape<UsageResponse>),
);

const reconnectRequest = lazy(() =>
  z.looseObject({
    type: literal("request-reconnect"),
  } satisfies Shape<ReconnectRequest>),
);

/** The messages that the original server adds to the published protocol. */
export type Extension =
  | ServerRequest
  | SubagentChunk
  | MessageCost
  | LogChunk
  | UsageResponse
  | ReconnectRequest;

/** The schema of each extension message, by its type. */
export const EXTENSIONS: { readonly [type: string]: Reads<Extension> } = {
  "tool-call-request": toolCallRequest,
  "read-files": readFilesRequest,
  "read-files-request": readFilesRequest,
  "request-mcp-tool-data": mcpToolDataRequest,
  "subagent-response-chunk": subagentChunk,
  "message-cost-response": messageCost,
  "handlesteps-log-chunk": logChunk,
  "usage-response": usageResponse,
  "request-reconnect": reconnectRequest,
};

/** The id of a server's request, under either of its two names. Also works for an invalid request. */
export function requestIdOf(data: Readonly<Record<string, unknown>>): string | undefined {
  const id = data["requestId"] ?? data["toolCallId"];
  return typeof id === "string" ? id : undefined;
}
