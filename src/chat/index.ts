export type { Chat, ChatCancel, ChatResume, ChatSend } from "./chat.ts";
export type { ChatConnection } from "./connection.ts";
export { createChat } from "./create-chat.ts";
export { describeError } from "./describe-error.ts";
export { describeErrorData } from "./describe-error-data.ts";
export type { ErrorDescription } from "./error-description.ts";
export { createInert, type InertOptions, type InertStream, inert } from "./inert.ts";
export type * from "./message.ts";
export {
  type DescribeErrorData,
  emptyMessages,
  type MessagesState,
  reduceMessages,
  restoreMessages,
} from "./messages.ts";
export { type ChatOptions, MAX_QUEUED_PROMPTS } from "./options.ts";
export type { ChatPending } from "./pending.ts";
export type { ChatProblem, ChatResult } from "./problem.ts";
export { MAX_RECAP_LENGTH } from "./recap.ts";
export { reveal } from "./reveal.ts";
export type { SavedChat, SavedMessage, SavedPart } from "./saved.ts";
export type { ChatSnapshot } from "./snapshot.ts";
export { type ChatStore, memoryStore } from "./store.ts";
export { ChatStoreError, isChatStoreError } from "./store-error.ts";
export { MAX_STORE_WAIT, MAX_UNSAVED_EVENTS, STORE_RETRY_DELAY } from "./store-writer.ts";
export type { ChatTotals } from "./totals.ts";
