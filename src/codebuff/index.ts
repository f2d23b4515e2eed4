// The entry `agentwire/codebuff`: its client, its source for chats, and everything of the core.

export { isPrintModeEvent, type PrintModeEvent, type ToolOutput } from "../codebuff-events/print-mode.ts";
export * from "../core/index.ts";
export { CodebuffClient } from "./client.ts";
export type { CodebuffConversation } from "./conversation.ts";
export { CodebuffTurnError } from "./errors.ts";
export type { CodebuffClientEvents } from "./events.ts";
export type { McpConfig, McpToolDataRequest, ReadFilesRequest, ToolCallRequest } from "./extensions.ts";
export type { CodebuffInitInput, CodebuffPromptInput } from "./input.ts";
export type { CodebuffServer, PromptError, PromptResponse } from "./messages.ts";
export type { CodebuffClientOptions, CodebuffPromptOptions } from "./options.ts";
export type { ChunkDecoding } from "./prompts/chunks.ts";
export type {
  CompletionMessage as ChatMessage,
  CompletionPart as ChatPart,
  PromptPart as ContentPart,
} from "./prompts/content.ts";
export type { CodebuffConversationState } from "./prompts/memory.ts";
export { newSessionState, type ProjectFileContext } from "./prompts/session-state.ts";
export type {
  CodebuffHandlers,
  CodebuffToolCall,
  CodebuffToolHandler,
  HandlerContext,
  McpTool,
  McpToolsHandler,
  ReadFilesHandler,
} from "./requests/handlers.ts";
export type {
  CodebuffEvent,
  CodebuffResult,
  PromptExtension,
  PromptFrame,
  ResponseChunkEvent,
} from "./turn.ts";
export { codebuff, toUniversal } from "./universal.ts";
