// The entry `agentwire/cass`: its client, REST, tags, its source for chats, and everything of the core.

export type { FetchBody, FetchInit, FetchLike, FetchResponse } from "../core/http/fetch.ts";
export * from "../core/index.ts";
export type { CassAudio } from "./audio.ts";
export type { CassToken, CassTokenFunction, CassTokens } from "./auth/credentials.ts";
export { CassClient, type CassServerStatus } from "./client.ts";
export type { CassConversation, CassConversationOptions, CassConversationState } from "./conversation.ts";
export {
  CassApiError,
  type CassApiErrorOptions,
  CassAuthError,
  type CassAuthReason,
  type CassFailureKind,
  CassTurnError,
} from "./errors.ts";
export type {
  CassClientEvents,
  CassIdentity,
  CassStrayMessage,
  CassSystemEvent,
  CassTitle,
} from "./events.ts";
export type { BlobLike, CassImage, CassImageType } from "./image.ts";
export type { CassDemoInput, CassIntroInput, CassProfile, CassPromptInput } from "./input.ts";
export type { AudioFrame, CassMemories, Debug, Thinking } from "./messages.ts";
export type { CassClientOptions, CassPromptOptions } from "./options.ts";
export type { CassDebug, CassProgress } from "./progress.ts";
export type {
  AnimationFrame,
  CassToolUse,
  ConsistencyTest,
  Hold,
  Intention,
  Mark,
  Milestone,
  Narration,
  Note,
  ResponseFrame,
  SelfObservation,
  Stake,
  UserObservation,
} from "./response.ts";
export type { CassRestOptions } from "./rest/options.ts";
export {
  type CassCallOptions,
  type CassLogin,
  type CassNewConversation,
  type CassRegistration,
  CassRest,
  type CassSession,
} from "./rest/rest.ts";
export type {
  CassConversationInfo,
  CassConversationList,
  CassConversationRecord,
  CassDeletion,
  CassLibrary,
  CassMessageList,
  CassModelChange,
  CassModelSettings,
  CassProviderChange,
  CassRecentMessage,
  CassStatusReport,
  CassStoredMessage,
  CassTitleChange,
  CassUser,
} from "./rest/shapes.ts";
export type { CassAnimation } from "./tags/animations.ts";
export type { TagSpan } from "./tags/parse.ts";
export { clean, type ParsedAnimation, type ParsedTags, parseTags } from "./tags/tags.ts";
export type {
  CassDebugEvent,
  CassEvent,
  CassResponseEvent,
  CassResult,
  CassThinkingEvent,
  CassUsage,
} from "./turn.ts";
export { type CassUniversalOptions, cass, toUniversal } from "./universal.ts";
