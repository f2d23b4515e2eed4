export type {
  AgentClient,
  Capabilities,
  ClientEvents,
  CloseOptions,
  ConnectOptions,
  FrameRecord,
  ProtocolWarning,
} from "./agent-client.ts";
export type {
  ApprovalOptions,
  AskContext,
  DecidedBy,
  Decision,
  PendingRequest,
  Reply,
  Ruling,
  ToolRule,
} from "./approvals.ts";
export type { Backoff, ReconnectOptions } from "./backoff.ts";
export type { KeepaliveOptions, Logger, SocketClientOptions } from "./client-options.ts";
export type { CancelTimer, Clock, TimerOptions } from "./clock.ts";
export type { ClientStatus } from "./connection-state.ts";
export type { Conversation, ConversationMessage, ConversationState } from "./conversation.ts";
export {
  AgentwireError,
  type AgentwireErrorOptions,
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
export type { ListenOptions, Unsubscribe } from "./events.ts";
export type { Nullish } from "./nullish.ts";
export type { Answer, Answers, Question, QuestionItem } from "./question.ts";
export type { CloseEventLike, MessageEventLike, WebSocketInit, WebSocketLike } from "./socket.ts";
export type { SharedClient, SocketClient } from "./socket-client.ts";
export type { Denier, ToolCall, ToolCallState, TurnToolCall } from "./tool-call.ts";
export type {
  Cost,
  Turn,
  TurnEvents,
  TurnOptions,
  TurnOutcome,
  TurnResult,
  TurnStatus,
  Usage,
} from "./turn.ts";
