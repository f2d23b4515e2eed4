// The data of messages, both ways, as types.

/** One part of what a tool gave. */
export type ToolOutputPart =
  | { readonly type: "json"; readonly value: unknown }
  | { readonly type: "media"; readonly data: string; readonly mediaType: string };

/** What a tool gave. */
export type SentToolOutput = readonly ToolOutputPart[];

/** Files by their path; null for one that cannot be read. */
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

export interface ToolCallResponseData {
  readonly type: "tool-call-response";
  readonly requestId: string;
  readonly output: SentToolOutput;
}

export interface ReadFilesResponseData {
  readonly type: "read-files-response";
  readonly requestId?: string;
  readonly files: FileContents;
}

export interface McpToolData {
  readonly type: "mcp-tool-data";
  readonly requestId: string;
  readonly tools: readonly ListedMcpTool[];
}

export interface CancelUserInputData {
  readonly type: "cancel-user-input";
  readonly authToken: string;
  readonly promptId: string;
}

/** What a client says to a request of the server. */
export type AnswerData = ToolCallResponseData | ReadFilesResponseData | McpToolData;

/** What a script goes on with that has asked. */
export type RequestResult = SentToolOutput | FileContents | readonly ListedMcpTool[];

/** The data of an action, by its type. */
export type ActionData = PromptData | InitData | AnswerData | CancelUserInputData;

/** What a usage-response says. */
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

/** Fields of a prompt-response that a script may set. */
export interface PromptResponseFields {
  readonly promptId?: string;
  readonly sessionState?: unknown;
  readonly toolCalls?: readonly unknown[] | null;
  readonly toolResults?: readonly unknown[] | null;
  readonly output?: unknown;
}

/** Fields of a prompt-error, or of an action-error, that a script may set. */
export interface PromptErrorFields {
  readonly message: string;
  /** @default the message; none on the profile `codebuff` and in an action-error */
  readonly error?: string | null;
  /** @default null */
  readonly remainingBalance?: number | null;
}

/** What the error object of an SSE chunk says. */
export interface SseErrorFields {
  readonly message: string;
  /** @default "BackendError" */
  readonly type?: string;
  /** HTTP status of the backend. @default 404 */
  readonly status?: number;
  /** @default false */
  readonly retryable?: boolean;
}
