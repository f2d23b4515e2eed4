// The entry `agentwire/codey`: its client, its source for chats, and everything of the core.
export * from "../core/index.ts";
export { CodeyClient } from "./client.ts";
export type { CodeyConversation, CodeyConversationState } from "./conversation.ts";
export { type CodeyFailureKind, CodeyTurnError } from "./errors.ts";
export type { CodeyClientEvents, CodeySessionStarted as SessionStarted } from "./events.ts";
export type { CodeyPromptInput } from "./input.ts";
export type {
  CodeyPendingApproval as PendingApproval,
  Finished,
  History,
  Retrying,
  State,
  TextDelta,
  ThinkingDelta,
  ToolAwaitingApproval,
  ToolCompleted,
  ToolDelta,
  ToolError,
  ToolRequest,
  ToolStarted,
} from "./messages.ts";
export type { CodeyClientOptions } from "./options.ts";
export type { CodeyEvent, CodeyResult, CodeyRound } from "./turn.ts";
export { codey, toUniversal } from "./universal.ts";
export type { CodeyUsage } from "./usage.ts";
