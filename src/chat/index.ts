export type { Chat, ChatCancel, ChatResume, ChatSend } from "./chat.ts";
export type { ChatConnection } from "./connection.ts";
export { createChat } from "./create-chat.ts";
export type * from "./messages/message.ts";
export {
  type DescribeErrorData,
  emptyMessages,
  type MessagesState,
  reduceMessages,
  restoreMessages,
} from "./messages/messages.ts";
export { type ChatOptions, MAX_QUEUED_PROMPTS } from "./options.ts";
export type { ChatPending } from "./pending.ts";
export { createInert, type InertOptions, type InertStream, inert } from "./print/inert.ts";
export { reveal } from "./print/reveal.ts";
export type { ChatProblem, ChatResult } from "./problem.ts";
export { MAX_RECAP_LENGTH } from "./saving/recap.ts";
export type { SavedChat, SavedMessage, SavedPart } from "./saving/saved.ts";
export type { ChatSnapshot } from "./snapshot.ts";
export { type ChatStore, memoryStore } from "./store/store.ts";
export { ChatStoreError, isChatStoreError } from "./store/store-error.ts";
export { MAX_STORE_WAIT, MAX_UNSAVED_EVENTS, STORE_RETRY_DELAY } from "./store/store-writer.ts";
export type { ChatTotals } from "./totals.ts";
export { describeError } from "./words/describe-error.ts";
export { describeErrorData } from "./words/describe-error-data.ts";
export type { ErrorDescription } from "./words/error-description.ts";
