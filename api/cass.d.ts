// agentwire/cass

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
  CassAnimation,
  CassApiError,
  CassAudio,
  CassAuthError,
  CassAuthReason,
  CassCallOptions,
  CassClient,
  CassClientEvents,
  CassClientOptions,
  CassConversation,
  CassConversationInfo,
  CassConversationList,
  CassConversationOptions,
  CassConversationRecord,
  CassConversationState,
  CassDebug,
  CassDemoInput,
  CassEvent,
  CassFailureKind,
  CassIdentity,
  CassImage,
  CassIntroInput,
  CassLogin,
  CassMessageList,
  CassModelSettings,
  CassProgress,
  CassPromptInput,
  CassPromptOptions,
  CassResponseEvent,
  CassRest,
  CassRestOptions,
  CassResult,
  CassServerStatus,
  CassSession,
  CassThinkingEvent,
  CassTokenFunction,
  CassTokens,
  CassToolUse,
  CassTurnError,
  CassUsage,
  CassUser,
  ClientEvents,
  ClientStatus,
  Clock,
  CloseOptions,
  ClosedError,
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
  FetchInit,
  FetchLike,
  FetchResponse,
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
  ResponseFrame,
  Ruling,
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

interface CassUniversalOptions extends UniversalOptions {
    readonly inferTools?: boolean;
    readonly includeDebug?: boolean;
}

interface ParsedAnimation extends TagAnimation {
    readonly name: string;
    readonly intensity: number;
    readonly offset: number;
}

interface ParsedTags {
    readonly text: string;
    readonly reasoning: readonly string[];
    readonly animations: readonly ParsedAnimation[];
    readonly spans: readonly TagSpan[];
}

interface TagAnimation {
    readonly type: "gesture" | "emote";
    readonly name: string;
    readonly intensity: number;
}

interface TagSpan {
    readonly kind: "text" | "tag" | "reasoning" | "mark" | "space";
    readonly start: number;
    readonly end: number;
}

export declare function cass(options: CassClientOptions): AgentSource<CassClient>;

export declare function clean(text: string): string;

export declare function parseTags(input: string): ParsedTags;

export declare function toUniversal(of: CassClient | AnyTurn | AnyConversation, options?: CassUniversalOptions): UniversalStream;
