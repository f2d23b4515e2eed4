// The entry `agentwire/cass`: its client, REST, tags, its source for chats, and everything of the core.

export type { FetchInit, FetchLike, FetchResponse } from "../core/http/fetch.ts";
export * from "../core/index.ts";
export type { CassAudio } from "./audio.ts";
export type { CassTokenFunction, CassTokens } from "./auth/credentials.ts";
export { CassClient, type CassServerStatus } from "./client.ts";
export type { CassConversation, CassConversationOptions, CassConversationState } from "./conversation.ts";
export {
  CassApiError,
  CassAuthError,
  type CassAuthReason,
  type CassFailureKind,
  CassTurnError,
} from "./errors.ts";
export type { CassClientEvents, CassIdentity } from "./events.ts";
export type { CassImage } from "./image.ts";
export type { CassDemoInput, CassIntroInput, CassPromptInput } from "./input.ts";
export type { CassClientOptions, CassPromptOptions } from "./options.ts";
export type { CassDebug, CassProgress } from "./progress.ts";
export type { CassToolUse, ResponseFrame } from "./response.ts";
export type { CassRestOptions } from "./rest/options.ts";
export { type CassCallOptions, type CassLogin, CassRest, type CassSession } from "./rest/rest.ts";
export type {
  CassConversationInfo,
  CassConversationList,
  CassConversationRecord,
  CassMessageList,
  CassModelSettings,
  CassUser,
} from "./rest/shapes.ts";
export type { CassAnimation } from "./tags/animations.ts";
export { clean, parseTags } from "./tags/tags.ts";
export type { CassEvent, CassResponseEvent, CassResult, CassThinkingEvent, CassUsage } from "./turn.ts";
export { cass, toUniversal } from "./universal.ts";
