// agentwire/codey

export {
  AgentClient,
  AgentwireError,
  Answer,
  Answers,
  AnyAgentClient,
  AnyAgentwireError,
  AnyConversation,
  AnyEvent,
  AnyTurn,
  ApprovalOptions,
  AskContext,
  Backoff,
  BaseClient,
  BufferOverflowError,
  CancelTimer,
  Capabilities,
  ClientEvents,
  ClientStatus,
  Clock,
  CloseOptions,
  ClosedError,
  CodeyClient,
  CodeyClientEvents,
  CodeyClientOptions,
  CodeyConversation,
  CodeyConversationState,
  CodeyEvent,
  CodeyFailureKind,
  CodeyPromptInput,
  CodeyResult,
  CodeyRound,
  CodeyTurnError,
  CodeyUsage,
  ConnectError,
  ConnectOptions,
  ConnectTimeoutError,
  ConnectionLostError,
  Conversation,
  ConversationChoices,
  ConversationMessage,
  ConversationState,
  Cost,
  DecidedBy,
  Decision,
  Delivery,
  ErrorByCode,
  ErrorCode,
  FileList,
  FilesOptions,
  FrameRecord,
  Grant,
  GrantScope,
  HandshakeError,
  HandshakeReason,
  InboxCommand,
  InboxOutcome,
  InboxPrompt,
  InvalidInputError,
  KeepaliveOptions,
  ListenOptions,
  LocalClientOptions,
  Logger,
  PayloadTooLargeError,
  PendingRequest,
  PromptFile,
  PromptFiles,
  PromptImage,
  PromptInbox,
  PromptInput,
  PromptOf,
  ProtocolWarning,
  Question,
  QuestionItem,
  QueueFullError,
  ReconnectOptions,
  Reply,
  RequestError,
  RequestTimeoutError,
  Ruling,
  SessionStarted,
  SettledRequest,
  SocketClientOptions,
  TimerOptions,
  ToolCall,
  ToolCallState,
  ToolPreview,
  ToolRule,
  Turn,
  TurnCancelledError,
  TurnError,
  TurnErrorOptions,
  TurnEvents,
  TurnOptions,
  TurnOutcome,
  TurnPartial,
  TurnResult,
  TurnStatus,
  TurnTimeoutError,
  TurnToolCall,
  Unsubscribe,
  UnsupportedError,
  Usage,
  WebSocketInit,
  WebSocketLike,
  isAgentwireError,
} from "agentwire";

interface AgentState {
    readonly id: number;
    readonly name: string | null;
    readonly is_streaming: boolean;
}

export interface Finished {
    readonly type: "Finished";
    readonly agent_id: number;
    readonly usage?: FinishedUsage | undefined;
}

interface FinishedUsage {
    readonly output_tokens: number;
    readonly context_tokens: number;
    readonly cache_creation_tokens: number;
    readonly cache_read_tokens: number;
}

export interface History {
    readonly type: "History";
    readonly messages: readonly HistoryMessage[];
}

interface HistoryMessage {
    readonly role: string;
    readonly content: string;
    readonly timestamp: string | null;
}

export interface PendingApproval {
    readonly agent_id: number;
    readonly call_id: string;
    readonly name: string;
    readonly params: unknown;
}

interface RequestedCall {
    readonly call_id: string;
    readonly name: string;
    readonly params: unknown;
    readonly background: boolean;
}

export interface Retrying {
    readonly type: "Retrying";
    readonly agent_id: number;
    readonly attempt: number;
    readonly error: string;
}

export interface State {
    readonly type: "State";
    readonly agents: readonly AgentState[];
    readonly pending_approvals: readonly PendingApproval[];
}

export interface TextDelta {
    readonly type: "TextDelta";
    readonly agent_id: number;
    readonly content: string;
}

export interface ThinkingDelta {
    readonly type: "ThinkingDelta";
    readonly agent_id: number;
    readonly content: string;
}

export interface ToolAwaitingApproval extends RequestedCall {
    readonly type: "ToolAwaitingApproval";
    readonly agent_id: number;
}

export interface ToolCompleted {
    readonly type: "ToolCompleted";
    readonly agent_id: number;
    readonly call_id: string;
    readonly content: string;
}

export interface ToolDelta {
    readonly type: "ToolDelta";
    readonly agent_id: number;
    readonly call_id: string;
    readonly content: string;
}

export interface ToolError {
    readonly type: "ToolError";
    readonly agent_id: number;
    readonly call_id: string;
    readonly error: string;
}

export interface ToolRequest {
    readonly type: "ToolRequest";
    readonly agent_id: number;
    readonly calls: readonly RequestedCall[];
}

export interface ToolStarted {
    readonly type: "ToolStarted";
    readonly agent_id: number;
    readonly call_id: string;
    readonly name: string;
}

export declare function codey(options: CodeyClientOptions): AgentSource<CodeyClient>;

export declare function toUniversal(of: CodeyClient | AnyTurn | AnyConversation, options?: UniversalOptions): UniversalStream;
