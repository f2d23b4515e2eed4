// Everything that the core gives to every protocol, so that one import is enough.
export * from "../core/index.ts";
export type { ChunkDecoding, TextSource } from "./chunks.ts";
export { CodebuffClient } from "./client.ts";
export type { CodebuffConversation } from "./conversation.ts";
export type { CodebuffClientEvents, PromptFrame } from "./events.ts";
export type { CodebuffServer } from "./handshake.ts";
export type { CodebuffInitInput } from "./init.ts";
export type { CodebuffConversationState } from "./memory.ts";
export type {
  ActionError,
  ChunkObject,
  InitResponse,
  Nullish,
  PromptError,
  PromptResponse,
  ResponseChunk,
  ToolCallData,
} from "./messages.ts";
export type { CodebuffClientOptions } from "./options.ts";
export type { ChatMessage, ChatPart, CodebuffPromptInput, ContentPart } from "./prompt.ts";
export type { CodebuffPromptOptions } from "./prompts.ts";
export {
  type CodebuffEvent,
  type CodebuffFailure,
  type CodebuffFailureOrigin,
  type CodebuffResult,
  CodebuffTurnError,
  type ResponseChunkEvent,
} from "./turn.ts";
