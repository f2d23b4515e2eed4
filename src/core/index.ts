// The shared exports of every client entry: errors, options, events, turns, the clock.
export type {
  AgentClient,
  Capabilities,
  ClientEvents,
  CloseOptions,
  ConnectOptions,
} from "./client/agent-client.ts";
export type { AnyAgentClient, AnyConversation, AnyTurn, ConversationChoices } from "./client/any-client.ts";
export type { BaseClient } from "./client/base-client.ts";
export type { InboxCommand, InboxOutcome, InboxPrompt, PromptInbox } from "./client/inbox.ts";
export type { LocalClientOptions } from "./client/local-options.ts";
export type { KeepaliveOptions, SocketClientOptions } from "./client/options.ts";
export type { CancelTimer, Clock, TimerOptions } from "./clock.ts";
export {
  AgentwireError,
  type AnyAgentwireError,
  BufferOverflowError,
  ClosedError,
  ConnectError,
  ConnectionLostError,
  ConnectTimeoutError,
  type Delivery,
  type ErrorByCode,
  type ErrorCode,
  HandshakeError,
  type HandshakeReason,
  InvalidInputError,
  isAgentwireError,
  PayloadTooLargeError,
  QueueFullError,
  RequestError,
  RequestTimeoutError,
  TurnCancelledError,
  TurnError,
  type TurnErrorOptions,
  type TurnPartial,
  TurnTimeoutError,
  UnsupportedError,
} from "./errors.ts";
export type { ApprovalOptions, AskContext, ToolRule } from "./gate/options.ts";
export type { Backoff, ReconnectOptions } from "./link/backoff.ts";
export type { WebSocketInit, WebSocketLike } from "./link/web-socket.ts";
export type { ListenOptions, Unsubscribe } from "./tell/events.ts";
export type { FrameRecord, Logger, ProtocolWarning } from "./tell/voice.ts";
export type { Conversation, ConversationMessage, ConversationState } from "./turn/conversation.ts";
export type { FileList, FilesOptions, PromptFile, PromptFiles } from "./turn/prompt-files.ts";
export type { PromptImage, PromptInput, PromptOf } from "./turn/prompt-input.ts";
export type { Turn, TurnEvents, TurnOptions, TurnOutcome, TurnResult } from "./turn/turn.ts";
export type {
  Answer,
  Answers,
  AnyEvent,
  ClientStatus,
  Cost,
  DecidedBy,
  Decision,
  Grant,
  GrantScope,
  PendingRequest,
  Question,
  QuestionItem,
  Reply,
  Ruling,
  SettledRequest,
  ToolCall,
  ToolCallState,
  ToolPreview,
  TurnStatus,
  TurnToolCall,
  Usage,
} from "./values.ts";
