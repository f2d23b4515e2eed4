import type { PromptData } from "./record.ts";

/** One part of what a tool gave. */
export type ToolOutputPart =
  | { readonly type: "json"; readonly value: unknown }
  | { readonly type: "media"; readonly data: string; readonly mediaType: string };

/** What a tool gave. */
export type ToolOutput = readonly ToolOutputPart[];

/** Files by their path; null for one that cannot be read. */
export type FileContents = { readonly [path: string]: string | null };

/** A tool of an MCP server. */
export interface McpTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown };
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
  readonly output: ToolOutput;
}

export interface ReadFilesResponseData {
  readonly type: "read-files-response";
  readonly requestId?: string;
  readonly files: FileContents;
}

export interface McpToolData {
  readonly type: "mcp-tool-data";
  readonly requestId: string;
  readonly tools: readonly McpTool[];
}

export interface CancelUserInputData {
  readonly type: "cancel-user-input";
  readonly authToken: string;
  readonly promptId: string;
}

/** What a client says to a request of the server. */
export type AnswerData = ToolCallResponseData | ReadFilesResponseData | McpToolData;

/** The data of an action, by its type. */
export type ActionData = PromptData | InitData | AnswerData | CancelUserInputData;
