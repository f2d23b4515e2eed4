// The types of message data, in both directions.

/** One part of a tool's output. */
type ToolOutputPart =
  | { readonly type: "json"; readonly value: unknown }
  | { readonly type: "media"; readonly data: string; readonly mediaType: string };

/** A tool's output. */
export type SentToolOutput = readonly ToolOutputPart[];

/** Files by path; null for an unreadable file. */
export type FileContents = { readonly [path: string]: string | null };

/** A tool of an MCP server. */
export interface ListedMcpTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown };
}

/** The data of a prompt action that passed the server's checks. */
export interface PromptData {
  readonly type: "prompt";
  readonly promptId: string;
  readonly fingerprintId: string;
  readonly sessionState: { readonly [key: string]: unknown };
  readonly prompt?: string | null;
  readonly content?: readonly { readonly [key: string]: unknown }[] | null;
  readonly promptParams?: { readonly [key: string]: unknown } | null;
  readonly authToken?: string | null;
  readonly costMode?: string;
  readonly toolResults?: readonly { readonly [key: string]: unknown }[];
  readonly model?: string | null;
  readonly repoUrl?: string | null;
  readonly agentId?: string | null;
}

export interface InitData {
  readonly type: "init";
  readonly fingerprintId: string;
  readonly fileContext: { readonly [key: string]: unknown };
  readonly authToken?: string | null;
  readonly repoUrl?: string | null;
}

interface ToolCallResponseData {
  readonly type: "tool-call-response";
  readonly requestId: string;
  readonly output: SentToolOutput;
}

interface ReadFilesResponseData {
  readonly type: "read-files-response";
  readonly requestId?: string;
  readonly files: FileContents;
}

interface McpToolData {
  readonly type: "mcp-tool-data";
  readonly requestId: string;
  readonly tools: readonly ListedMcpTool[];
}

export interface CancelUserInputData {
  readonly type: "cancel-user-input";
  readonly authToken: string;
  readonly promptId: string;
}

/** The client's answer to a server request. */
export type AnswerData = ToolCallResponseData | ReadFilesResponseData | McpToolData;

/** The value that a requesting script step receives. */
export type RequestResult = SentToolOutput | FileContents | readonly ListedMcpTool[];

/** The data of an action, by its type. */
export type ActionData = PromptData | InitData | AnswerData | CancelUserInputData;

/** The data of a usage-response. */
export interface AccountFigures {
  readonly usage: number;
  readonly remainingBalance: number;
  /** Numbers under any of `free`, `referral`, `purchase`, `admin`, `organization`. */
  readonly balanceBreakdown?: { readonly [source: string]: number };
  /** ISO 8601. */
  readonly next_quota_reset: string | null;
  readonly autoTopupAdded?: number;
  readonly autoTopupEnabled?: boolean;
}

/** Fields of a prompt-response that a script can set. */
export interface PromptResponseFields {
  readonly promptId?: string;
  readonly sessionState?: unknown;
  readonly toolCalls?: readonly unknown[] | null;
  readonly toolResults?: readonly unknown[] | null;
  readonly output?: unknown;
}

/** Fields of a prompt-error or action-error that a script can set. */
export interface PromptErrorFields {
  readonly message: string;
  /** @default the message; absent on the profile `codebuff` and in an action-error */
  readonly error?: string | null;
  /** @default null */
  readonly remainingBalance?: number | null;
}

/** The fields of the error object in an SSE chunk. */
export interface SseErrorFields {
  readonly message: string;
  /** @default "BackendError" */
  readonly type?: string;
  /** The backend's HTTP status. @default 404 */
  readonly status?: number;
  /** @default false */
  readonly retryable?: boolean;
}
