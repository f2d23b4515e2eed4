// agentwire

interface ActionError {
    readonly type: "action-error";
    readonly message: string;
    readonly error?: Nullish<string>;
    readonly remainingBalance?: Nullish<number>;
}

export interface AgentClient<Event, Result extends TurnResult, Options, Input, Events extends {
    [Name in keyof Events]: readonly unknown[];
} = ClientEvents<Event, Result>> extends AsyncDisposable {
    readonly status: ClientStatus;
    readonly capabilities: Capabilities;
    readonly closedBy: AnyAgentwireError | undefined;
    prompt(input: PromptOf<Input>, options?: Options & TurnOptions): Turn<Event, Result>;
    conversation(options?: {
        readonly from?: ConversationState;
    }): Conversation<Event, Result, Options, Input>;
    readonly pending: readonly PendingRequest[];
    decide(id: string, decision: Decision): Ruling;
    answer(id: string, answer: Answer): Reply;
    readonly grants: readonly Grant[];
    revoke(id: string): boolean;
    connect(options?: ConnectOptions): Promise<void>;
    close(options?: CloseOptions): Promise<void>;
    on<Name extends keyof Events & string>(name: Name, listener: (...values: Events[Name]) => void, options?: ListenOptions): Unsubscribe;
    on<Name extends keyof AnyClientEvents>(name: Name, listener: (...values: AnyClientEvents[Name]) => void, options?: ListenOptions): Unsubscribe;
}

export interface AgentSource<Client extends AnyAgentClient = AnyAgentClient> {
    readonly name: string;
    readonly hasInbox?: boolean;
    client(): Client;
    toUniversal(of: Client | AnyTurn | AnyConversation, options?: UniversalOptions): UniversalStream;
}

export declare abstract class AgentwireError extends Error {
    protected static readonly className: string;
    abstract readonly code: ErrorCode;
    readonly retryable: boolean;
    partial?: TurnPartial;
    delivery?: Delivery;
    input?: unknown;
    constructor(code: ErrorCode, message: string, options?: AgentwireErrorOptions, fields?: object);
    toJSON(): object;
}

interface AgentwireErrorOptions {
    readonly cause?: unknown;
    readonly retryable?: boolean | undefined;
    readonly delivery?: Delivery | undefined;
}

interface AnimationFrame {
    readonly type: "gesture" | "emote";
    readonly name: string;
    readonly index?: Nullish<number>;
    readonly intensity?: Nullish<number>;
    readonly delay?: Nullish<number>;
    readonly position?: Nullish<number>;
}

export type Answer = string | readonly string[] | readonly (readonly string[])[] | null;

export type Answers = readonly (readonly string[])[] | undefined;

export interface AnyAgentClient extends Pick<AgentClient<AnyEvent, TurnResult, object, object>, "status" | "capabilities" | "closedBy" | "pending" | "decide" | "answer" | "grants" | "revoke" | "connect" | "close">, AsyncDisposable {
    readonly cancel?: ((turnId: string) => void) | undefined;
    readonly inbox?: PromptInbox | undefined;
    readonly files?: ((prefix: string, options?: FilesOptions) => Promise<FileList>) | undefined;
    prompt(input: string | PromptInput, options?: TurnOptions): AnyTurn;
    conversation(options?: {
        readonly from?: ConversationState;
    }): AnyConversation;
    on<Name extends keyof AnyClientEvents>(name: Name, listener: (...values: AnyClientEvents[Name]) => void, options?: ListenOptions): Unsubscribe;
}

export type AnyAgentwireError = ErrorByCode[ErrorCode];

type AnyClientEvents = ClientEvents<AnyEvent, TurnResult>;

export interface AnyConversation extends Pick<Conversation<AnyEvent, TurnResult, object, object>, "messages" | "state" | "shared" | "earlier"> {
    readonly session?: ConversationChoices | undefined;
    readonly onSession?: ((listener: () => void) => Unsubscribe) | undefined;
    readonly open?: (() => Promise<unknown>) | undefined;
    readonly setMode?: ((id: string) => Promise<void>) | undefined;
    readonly setModel?: ((id: string) => Promise<void>) | undefined;
    prompt(input: string | PromptInput, options?: TurnOptions): AnyTurn;
}

export interface AnyEvent {
    readonly type: string;
}

export type AnyTurn = Turn<AnyEvent, TurnResult>;

export interface ApprovalOptions {
    readonly toolPolicy?: readonly ToolRule[];
    readonly onToolApproval?: ((call: ToolCall, context: AskContext) => Decision | Promise<Decision>) | "manual";
    readonly onQuestion?: ((question: Question, context: AskContext) => Answer | Promise<Answer>) | "manual";
    readonly approvalTimeout?: number;
}

export interface AskContext {
    readonly signal: AbortSignal;
}

interface AudioFrame extends Timed {
    readonly type: "audio";
    readonly url?: Nullish<string>;
    readonly audio?: Nullish<string>;
    readonly audio_format?: Nullish<string>;
}

export interface Backoff {
    readonly attempt: number;
    readonly delay: number;
    readonly error: AnyAgentwireError;
}

type BalanceBreakdown = Readonly<Record<string, number>>;

export declare abstract class BaseClient<Event, Result extends TurnResult, Events extends ClientEvents<Event, Result> & {
    [Name in keyof Events]: readonly unknown[];
}> implements Pick<AgentClient<Event, Result, never, never, Events>, "status" | "closedBy" | "pending" | "grants" | "revoke" | "decide" | "answer" | "connect" | "close" | "on">, AsyncDisposable {
    #private;
    protected constructor(shared: SharedClient<Event, Result, Events>);
    get status(): ClientStatus;
    get closedBy(): AnyAgentwireError | undefined;
    get pending(): readonly PendingRequest[];
    get grants(): readonly Grant[];
    revoke(id: string): boolean;
    decide(id: string, decision: Decision): Ruling;
    answer(id: string, answer: Answer): Reply;
    connect(options?: ConnectOptions): Promise<void>;
    close(options?: CloseOptions): Promise<void>;
    on<Name extends keyof Events & string>(name: Name, listener: (...values: Events[Name]) => void, options?: ListenOptions): Unsubscribe;
    on<Name extends keyof AnyClientEvents>(name: Name, listener: (...values: AnyClientEvents[Name]) => void, options?: ListenOptions): Unsubscribe;
    [asyncDispose](): Promise<void>;
}

interface BlobLike {
    readonly size: number;
    readonly type: string;
    arrayBuffer(): Promise<ArrayBuffer>;
}

export declare class BufferOverflowError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "buffer-overflow";
    readonly bytes: number;
    readonly limit: number;
    constructor(bytes: number, limit: number, message?: string);
}

export type CancelTimer = () => void;

export interface Capabilities {
    readonly textDeltas: boolean;
    readonly reasoning: boolean;
    readonly toolCalls: boolean;
    readonly toolOutputDeltas: boolean;
    readonly subagents: boolean;
    readonly permissions: "wire" | "client" | "none";
    readonly questions: boolean;
    readonly usage: "tokens" | "credits" | "cost" | "none";
    readonly images: boolean;
    readonly cancelOnWire: boolean;
    readonly history: "client" | "server" | "none";
    readonly conversations: "one" | "many";
    readonly survivesReconnect: boolean;
    readonly reopens: boolean;
    readonly recovers: boolean;
    readonly plan: boolean;
    readonly context: boolean;
    readonly branches: boolean;
    readonly preview: boolean;
    readonly modes: boolean;
    readonly models: boolean;
    readonly files: boolean;
}

export interface CassAnimation {
    readonly index: number;
    readonly type: "gesture" | "emote";
    readonly name: string;
    readonly intensity: number;
    readonly delay?: number;
    readonly offset?: number;
}

export declare class CassApiError extends RequestError {
    protected static readonly className: string;
    readonly status: number;
    readonly detail: string;
    readonly retryAfter?: number;
    constructor(call: string, options: CassApiErrorOptions);
}

interface CassApiErrorOptions extends AgentwireErrorOptions {
    readonly status: number;
    readonly detail: string;
    readonly retryAfter?: number | undefined;
}

export interface CassAudio {
    readonly mediaType: string;
    readonly url?: string;
    bytes(options?: {
        readonly signal?: AbortSignal;
    }): Promise<Uint8Array>;
}

export declare class CassAuthError extends HandshakeError {
    protected static readonly className: string;
    readonly reason: CassAuthReason;
    constructor(reason: CassAuthReason, message: string, options?: AgentwireErrorOptions & {
        readonly closeCode?: number | undefined;
        readonly expected?: string | undefined;
        readonly got?: string | null | undefined;
    });
}

export type CassAuthReason = Extract<HandshakeReason, "rejected" | "identity-mismatch" | "anonymous" | "timeout" | "refresh-failed">;

export interface CassCallOptions {
    readonly signal?: AbortSignal | undefined;
}

export declare class CassClient extends BaseClient<CassEvent, CassResult, CassClientEvents> implements AgentClient<CassEvent, CassResult, CassPromptOptions, CassPromptInput, CassClientEvents> {
    #private;
    readonly rest: CassRest;
    constructor(options: CassClientOptions);
    get identity(): CassIdentity | undefined;
    get capabilities(): Capabilities;
    prompt(input: PromptOf<CassPromptInput>, options?: CassPromptOptions & TurnOptions): Turn<CassEvent, CassResult>;
    conversation(options?: CassConversationOptions): CassConversation;
    onboardingIntro(input: CassIntroInput, options?: TurnOptions): Turn<CassEvent, CassResult>;
    onboardingDemo(input: CassDemoInput, options?: TurnOptions): Turn<CassEvent, CassResult>;
    getStatus(): Promise<CassServerStatus>;
    titleOf(conversationId: string): string | undefined;
}

export interface CassClientEvents extends ClientEvents<CassEvent, CassResult> {
    protocolWarning: [
        warning: ProtocolWarning
    ];
    authenticated: [
        identity: CassIdentity
    ];
    title: [
        title: CassTitle
    ];
    system: [
        event: CassSystemEvent
    ];
    audio: [
        audio: CassAudio,
        turn: Turn<CassEvent, CassResult>
    ];
    recovering: [
        turn: Turn<CassEvent, CassResult>
    ];
    serverError: [
        error: {
            readonly message: string;
        }
    ];
    stray: [
        message: CassStrayMessage
    ];
    unknownMessage: [
        message: unknown
    ];
}

export interface CassClientOptions extends SocketClientOptions, CassCredentialOptions {
    readonly auth?: "query" | "message";
    readonly expectedUserId?: string;
    readonly allowAnonymous?: boolean;
    readonly requireConnected?: boolean;
    readonly idleTimeout?: number;
    readonly requestTimeout?: number;
    readonly httpUrl?: string | URL;
    readonly fetch?: FetchLike;
    readonly recover?: boolean;
    readonly recoverTimeout?: number;
    readonly cancel?: "wait" | "reconnect";
    readonly maxTurnsInFlight?: number;
    readonly maxImageBytes?: number;
}

export type CassConversation = Conversation<CassEvent, CassResult, CassPromptOptions, CassPromptInput, CassConversationState>;

export interface CassConversationInfo {
    readonly id: string;
    readonly title: string | null;
    readonly created_at: string | null;
    readonly updated_at: string | null;
    readonly message_count: number | null;
    readonly project_id: string | null;
    readonly user_id: string | null;
    readonly is_continuous: boolean | null;
}

export interface CassConversationList {
    readonly conversations: readonly CassConversationInfo[];
    readonly count: number | null;
}

export interface CassConversationOptions {
    readonly from?: CassConversationState | ConversationState;
    readonly id?: string;
}

export interface CassConversationRecord extends Omit<CassConversationInfo, "message_count"> {
    readonly messages: readonly CassStoredMessage[];
    readonly last_summary_timestamp: string | null;
    readonly messages_since_last_summary: number | null;
    readonly working_summary: string | null;
}

export interface CassConversationState extends ConversationState {
    readonly protocol: "cass";
    readonly version: 1;
    readonly conversationId?: string | null;
}

interface CassCredentialOptions {
    readonly token?: CassToken | undefined;
    readonly refreshToken?: string | undefined;
    readonly onTokens?: ((tokens: CassTokens) => void) | undefined;
}

export type CassDebug = {
    readonly kind: "loop";
    readonly round: number;
    readonly stopReason: string;
    readonly tools: readonly string[];
} | {
    readonly kind: "result";
    readonly tool: string;
    readonly success: boolean;
    readonly result: string;
} | {
    readonly kind: "submitting";
    readonly results: number;
} | {
    readonly kind: "continuation";
    readonly stopReason: string;
    readonly hasText: boolean;
    readonly newTools: number;
} | {
    readonly kind: "text";
    readonly text: string;
} | {
    readonly kind: "other";
};

interface CassDebugEvent {
    readonly type: "debug";
    readonly message: string;
    readonly debug: CassDebug;
    readonly timestamp?: string;
}

interface CassDeletion {
    readonly status: string | null;
    readonly id: string;
}

export interface CassDemoInput {
    readonly userId: string;
    readonly message?: string;
    readonly profile?: CassProfile;
    readonly allowForeignUser?: boolean;
}

export type CassEvent = CassThinkingEvent | CassDebugEvent | CassResponseEvent;

export type CassFailureKind = "missing-ids" | "user-not-found" | "not-available" | "initializing" | "unknown-type" | "empty-message" | "unreadable-response" | "failed";

export interface CassIdentity {
    readonly userId: string | null;
    readonly verified: boolean;
    readonly sdkMode?: boolean;
}

export interface CassImage {
    readonly data: Uint8Array | ArrayBuffer | BlobLike | string;
    readonly mediaType?: CassImageType;
}

type CassImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export interface CassIntroInput {
    readonly userId: string;
    readonly conversationId: string | null;
    readonly profile?: CassProfile;
    readonly allowForeignUser?: boolean;
}

interface CassLibrary {
    readonly gestures: readonly string[];
    readonly emotes: readonly string[];
}

export interface CassLogin {
    readonly email: string;
    readonly password: string;
}

type CassMemories = Readonly<Record<string, unknown>> & {
    readonly has_context?: unknown;
};

export interface CassMessageList {
    readonly messages: readonly CassRecentMessage[];
    readonly count: number | null;
}

interface CassModelChange {
    readonly status: string | null;
    readonly model: string;
}

export interface CassModelSettings {
    readonly current: string;
    readonly available: readonly string[];
    readonly openai_enabled: boolean | null;
    readonly local_enabled: boolean | null;
    readonly anthropic_model: string | null;
    readonly openai_model: string | null;
    readonly local_model: string | null;
}

interface CassNewConversation {
    readonly title?: string;
    readonly projectId?: string;
    readonly userId?: string;
}

interface CassProfile {
    readonly relationship?: string;
    readonly background?: {
        readonly context?: string;
    };
    readonly communication?: {
        readonly style?: string;
    };
    readonly values?: readonly string[];
    readonly display_name?: string;
}

export type CassProgress = {
    readonly kind: "retrieving" | "processing" | "intro" | "demo" | "other";
} | {
    readonly kind: "generating";
    readonly by: string;
} | {
    readonly kind: "tools";
    readonly tools: readonly string[];
};

export interface CassPromptInput {
    readonly message: string;
    readonly conversationId?: string;
    readonly image?: CassImage;
}

export interface CassPromptOptions {
    readonly recover?: boolean;
    readonly allowEmpty?: boolean;
}

interface CassProviderChange {
    readonly provider: string;
    readonly model: string | null;
}

interface CassRecentMessage {
    readonly id: string | null;
    readonly role: string;
    readonly content: string;
    readonly timestamp: string | null;
    readonly provider: string | null;
    readonly model: string | null;
    readonly inputTokens: number | null;
    readonly outputTokens: number | null;
    readonly user_id: string | null;
}

interface CassRegistration extends CassLogin {
    readonly displayName: string;
}

export interface CassResponseEvent {
    readonly type: "response";
    readonly text: string;
    readonly reasoning: readonly string[];
    readonly animations: readonly CassAnimation[];
    readonly audio?: CassAudio;
    readonly recovered?: true;
    readonly message?: ResponseFrame;
}

export declare class CassRest {
    #private;
    constructor(options: CassRestOptions);
    login(login: CassLogin, options?: CassCallOptions): Promise<CassSession>;
    register(registration: CassRegistration, options?: CassCallOptions): Promise<CassSession>;
    refresh(options?: CassCallOptions): Promise<CassTokens>;
    me(options?: CassCallOptions): Promise<CassUser>;
    listConversations(options?: CassCallOptions & {
        readonly limit?: number;
    }): Promise<CassConversationList>;
    newConversation(options?: CassCallOptions & CassNewConversation): Promise<CassConversationInfo>;
    continuousConversation(options?: CassCallOptions): Promise<CassConversationInfo>;
    getConversation(id: string, options?: CassCallOptions): Promise<CassConversationRecord>;
    getMessages(id: string, options?: CassCallOptions & {
        readonly limit?: number;
        readonly sinceHours?: number;
    }): Promise<CassMessageList>;
    setTitle(id: string, title: string, options?: CassCallOptions): Promise<CassTitleChange>;
    deleteConversation(id: string, options?: CassCallOptions): Promise<CassDeletion>;
    getModel(options?: CassCallOptions): Promise<CassModelSettings>;
    setProvider(provider: string, options?: CassCallOptions): Promise<CassProviderChange>;
    setModel(model: string, options?: CassCallOptions): Promise<CassModelChange>;
    getStatus(options?: CassCallOptions): Promise<CassStatusReport>;
    getLibrary(options?: CassCallOptions): Promise<CassLibrary>;
}

export interface CassRestOptions extends CassCredentialOptions {
    readonly url: string | URL | (() => string | URL | Promise<string | URL>);
    readonly fetch?: FetchLike | undefined;
    readonly timeout?: number;
    readonly retries?: number;
    readonly maxReceiveBytes?: number;
    readonly allowInsecure?: boolean;
    readonly signal?: AbortSignal | undefined;
    readonly logger?: Logger | undefined;
    readonly clock?: Clock;
}

export interface CassResult extends TurnResult {
    readonly conversationId?: string | null;
    readonly reasoning: readonly string[];
    readonly animations: readonly CassAnimation[];
    readonly audio?: CassAudio;
    readonly toolUses: readonly CassToolUse[];
    readonly usage?: CassUsage;
    readonly provider?: string;
    readonly model?: string;
    readonly recovered?: true;
    readonly message?: ResponseFrame;
}

export interface CassServerStatus {
    readonly sdkMode: boolean;
    readonly memoryCount: number;
    readonly timestamp?: string;
}

export interface CassSession extends Required<CassTokens> {
    readonly userId: string;
}

interface CassStatusReport {
    readonly online: boolean;
    readonly sdk_mode: boolean | null;
    readonly memory_entries: number | null;
    readonly timestamp: string | null;
    readonly kernel: string | null;
    readonly memory_ready: boolean | null;
}

interface CassStoredMessage {
    readonly id: number | null;
    readonly role: string;
    readonly content: string;
    readonly timestamp: string | null;
    readonly animations: readonly unknown[] | null;
    readonly excluded: boolean | null;
    readonly user_id: string | null;
    readonly input_tokens: number | null;
    readonly output_tokens: number | null;
    readonly provider: string | null;
    readonly model: string | null;
}

type CassStrayMessage = Thinking | Debug | ResponseFrame | AudioFrame;

interface CassSystemEvent {
    readonly message: string;
    readonly status?: string;
    readonly timestamp?: string;
}

export interface CassThinkingEvent {
    readonly type: "thinking";
    readonly status: string;
    readonly progress: CassProgress;
    readonly memories?: CassMemories;
    readonly timestamp?: string;
}

interface CassTitle {
    readonly conversationId: string;
    readonly title: string;
    readonly timestamp?: string;
}

interface CassTitleChange {
    readonly status: string | null;
    readonly id: string;
    readonly title: string;
}

type CassToken = string | CassTokenFunction;

export type CassTokenFunction = (ask: {
    readonly fresh: boolean;
}) => string | Promise<string>;

export interface CassTokens {
    readonly accessToken: string;
    readonly refreshToken?: string;
}

export interface CassToolUse {
    readonly id: string;
    readonly tool: string;
    readonly input: unknown;
}

export declare class CassTurnError extends TurnError {
    protected static readonly className: string;
    readonly kind: CassFailureKind;
    constructor(options: TurnErrorOptions & {
        readonly kind: CassFailureKind;
    });
}

export interface CassUsage extends Usage {
    readonly cacheReadTokens?: number;
}

export interface CassUser {
    readonly user_id: string;
    readonly display_name: string | null;
    readonly email: string | null;
    readonly relationship: string | null;
    readonly created_at: string | null;
}

export interface ChatMessage {
    readonly role: "system" | "user" | "assistant";
    readonly content: string | readonly ChatPart[];
}

export type ChatPart = {
    readonly type: "text";
    readonly text: string;
} | {
    readonly type: "image_url";
    readonly image_url: {
        readonly url: string;
    };
} | {
    readonly type: "input_audio";
    readonly input_audio: Readonly<Record<string, unknown>>;
};

export type ChunkDecoding = "auto" | "text" | "openai-sse";

interface ChunkObject {
    readonly type: string;
}

export interface ClientEvents<Event, Result extends TurnResult> {
    status: [
        status: ClientStatus
    ];
    reconnecting: [
        backoff: Backoff
    ];
    reconnected: [
    ];
    disconnected: [
        error: AnyAgentwireError
    ];
    protocolWarning: [
        warning: ProtocolWarning
    ];
    turn: [
        turn: Turn<Event, Result>
    ];
    event: [
        event: Event,
        turn: Turn<Event, Result>
    ];
    approval: [
        call: ToolCall,
        turn?: Turn<Event, Result>
    ];
    question: [
        question: Question,
        turn?: Turn<Event, Result>
    ];
    settled: [
        request: SettledRequest,
        turn?: Turn<Event, Result>
    ];
    message: [
        message: unknown
    ];
    frame: [
        frame: FrameRecord
    ];
}

export type ClientStatus = "idle" | "connecting" | "handshaking" | "ready" | "reconnecting" | "draining" | "closed";

export interface Clock {
    now(): number;
    wallTime(): number;
    random(): number;
    setTimeout(callback: () => void, delay: number, options?: TimerOptions): CancelTimer;
}

interface CloseEventLike {
    readonly code: number;
    readonly reason: string;
}

export interface CloseOptions {
    readonly force?: boolean;
    readonly drainTimeout?: number;
}

export declare class ClosedError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "closed";
    constructor(message: string, options?: AgentwireErrorOptions);
}

export declare class CodebuffClient extends BaseClient<CodebuffEvent, CodebuffResult, CodebuffClientEvents> implements AgentClient<CodebuffEvent, CodebuffResult, CodebuffPromptOptions, CodebuffPromptInput, CodebuffClientEvents> {
    #private;
    constructor(options: CodebuffClientOptions);
    get server(): CodebuffServer | undefined;
    get clientSessionId(): string;
    get capabilities(): Capabilities;
    prompt(input: PromptOf<CodebuffPromptInput>, options?: CodebuffPromptOptions & TurnOptions): Turn<CodebuffEvent, CodebuffResult>;
    conversation(options?: {
        readonly from?: CodebuffConversationState | ConversationState;
    }): CodebuffConversation;
    files(prefix: string, options?: FilesOptions): Promise<FileList>;
    init(input: CodebuffInitInput): Promise<InitResponse>;
    subscribe(topics: readonly string[]): Promise<void>;
    unsubscribe(topics: readonly string[]): Promise<void>;
}

export interface CodebuffClientEvents extends ClientEvents<CodebuffEvent, CodebuffResult> {
    initResponse: [
        response: InitResponse
    ];
    usage: [
        usage: UsageResponse
    ];
    reconnectRequested: [
    ];
    toolCall: [
        call: TurnToolCall
    ];
    actionError: [
        error: ActionError
    ];
    late: [
        message: PromptFrame
    ];
    orphan: [
        message: PromptFrame
    ];
    unknownAction: [
        data: Readonly<Record<string, unknown>>
    ];
    unknownMessage: [
        message: unknown
    ];
}

export interface CodebuffClientOptions extends SocketClientOptions, CodebuffHandlers, ApprovalOptions {
    readonly profile?: "auto" | "proxy" | "codebuff";
    readonly clientSessionId?: string;
    readonly fingerprintId?: string;
    readonly authToken?: string | (() => string | Promise<string>);
    readonly model?: string;
    readonly costMode?: string;
    readonly chunkDecoding?: ChunkDecoding;
    readonly maxConcurrentPrompts?: number;
    readonly settleWindow?: number;
    readonly ackTimeout?: number;
    readonly initTimeout?: number;
    readonly idleTimeout?: number;
    readonly stallTimeout?: number;
    readonly files?: PromptFiles;
    readonly drainTimeout?: number;
}

export type CodebuffConversation = Conversation<CodebuffEvent, CodebuffResult, CodebuffPromptOptions, CodebuffPromptInput, CodebuffConversationState>;

export interface CodebuffConversationState extends ConversationState {
    readonly protocol: "codebuff";
    readonly version: 1;
    readonly messages: readonly ChatMessage[];
    readonly sessionState?: Readonly<Record<string, unknown>>;
}

export type CodebuffEvent = ResponseChunkEvent | PromptResponse | PromptError | PromptExtension;

interface CodebuffFailure {
    readonly origin: CodebuffFailureOrigin;
    readonly kind: string;
    readonly message: string;
    readonly error?: string | null | undefined;
    readonly remainingBalance?: number | null | undefined;
    readonly status?: number | undefined;
    readonly retryable?: boolean;
}

type CodebuffFailureOrigin = "action" | "stream" | "output" | "silent-end";

export interface CodebuffHandlers {
    readonly tools?: Readonly<Record<string, CodebuffToolHandler>>;
    readonly onReadFiles?: ReadFilesHandler;
    readonly onMcpTools?: McpToolsHandler;
    readonly onMcpToolCall?: CodebuffToolHandler;
}

export interface CodebuffInitInput {
    readonly fileContext: Readonly<Record<string, unknown>>;
    readonly repoUrl?: string;
    readonly fingerprintId?: string;
    readonly authToken?: string;
}

export interface CodebuffPromptInput {
    readonly prompt?: string;
    readonly content?: Content;
    readonly promptId?: string;
    readonly sessionState?: Readonly<Record<string, unknown>>;
    readonly model?: string;
    readonly costMode?: string;
    readonly toolResults?: readonly Readonly<Record<string, unknown>>[];
    readonly fingerprintId?: string;
    readonly authToken?: string;
    readonly repoUrl?: string;
    readonly agentId?: string;
    readonly promptParams?: Readonly<Record<string, unknown>>;
}

export interface CodebuffPromptOptions {
    readonly chunkDecoding?: ChunkDecoding;
}

export interface CodebuffResult extends TurnResult {
    readonly promptId: string;
    readonly sessionState: Readonly<Record<string, unknown>>;
    readonly toolCalls: NonNullable<PromptResponse["toolCalls"]>;
    readonly toolResults: NonNullable<PromptResponse["toolResults"]>;
    readonly output: PromptResponse["output"] | null;
}

export type CodebuffServer = "proxy" | "codebuff";

export interface CodebuffToolCall extends ToolCall {
    readonly input: Readonly<Record<string, unknown>>;
    readonly mcpConfig?: McpConfig;
    readonly raw: ToolCallRequest;
}

export interface CodebuffToolHandler {
    (call: CodebuffToolCall, context: HandlerContext): readonly ToolOutput[] | Promise<readonly ToolOutput[]>;
    readonly preview?: (call: CodebuffToolCall, context: HandlerContext) => readonly ToolPreview[] | undefined | Promise<readonly ToolPreview[] | undefined>;
}

export declare class CodebuffTurnError extends TurnError {
    protected static readonly className: string;
    readonly promptId: string;
    readonly origin: CodebuffFailureOrigin;
    readonly serverError?: string;
    constructor(promptId: string, failure: CodebuffFailure);
}

export declare class CodeyClient extends BaseClient<CodeyEvent, CodeyResult, CodeyClientEvents> implements AgentClient<CodeyEvent, CodeyResult, object, CodeyPromptInput, CodeyClientEvents> {
    #private;
    constructor(options: CodeyClientOptions);
    get sessionId(): string | undefined;
    get capabilities(): Capabilities;
    prompt(input: PromptOf<CodeyPromptInput>, options?: TurnOptions): Turn<CodeyEvent, CodeyResult>;
    conversation(options?: {
        readonly from?: ConversationState;
    }): CodeyConversation;
    getState(): Promise<State>;
    getHistory(): Promise<History>;
    ping(): Promise<number>;
}

export interface CodeyClientEvents extends ClientEvents<CodeyEvent, CodeyResult> {
    sessionStarted: [
        session: SessionStarted
    ];
    late: [
        message: TurnMessage
    ];
    stray: [
        message: TurnMessage
    ];
    serverError: [
        error: ServerError
    ];
    unknownMessage: [
        message: unknown
    ];
}

export interface CodeyClientOptions extends SocketClientOptions, Pick<ApprovalOptions, "toolPolicy" | "onToolApproval" | "approvalTimeout"> {
    readonly cancelTimeout?: number;
    readonly requestTimeout?: number;
    readonly idleTimeout?: number;
}

export type CodeyConversation = Conversation<CodeyEvent, CodeyResult, object, CodeyPromptInput, CodeyConversationState>;

export interface CodeyConversationState extends ConversationState {
    readonly protocol: "codey";
    readonly version: 1;
    readonly sessionId?: string;
}

export type CodeyEvent = Exclude<TurnMessage, ToolStarted> | (ToolStarted & {
    readonly inferred?: true;
});

export type CodeyFailureKind = "http" | "transport" | "truncated" | "misconfigured" | "unreadable" | "other";

export interface CodeyPromptInput {
    readonly content: string;
    readonly agentId?: number;
}

export interface CodeyResult extends TurnResult {
    readonly sessionId: string;
    readonly rounds: readonly CodeyRound[];
    readonly thinking: string;
    readonly toolCalls: readonly TurnToolCall[];
    readonly usage?: CodeyUsage;
}

export interface CodeyRound {
    readonly text: string;
    readonly thinking: string;
    readonly calls: readonly string[];
}

export declare class CodeyTurnError extends TurnError {
    protected static readonly className: string;
    readonly kind: CodeyFailureKind;
    readonly fatal: boolean;
}

export interface CodeyUsage extends Usage {
    readonly outputTokens: number;
    readonly totalOutputTokens: number;
    readonly contextTokens: number;
    readonly cacheCreationTokens: number;
    readonly cacheReadTokens: number;
    readonly inexact?: true;
}

export declare class ConnectError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "connect-failed";
    readonly status?: number;
    constructor(message: string, options?: AgentwireErrorOptions & {
        readonly status?: number | undefined;
    });
}

export interface ConnectOptions {
    readonly signal?: AbortSignal;
}

export declare class ConnectTimeoutError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "connect-timeout";
    readonly timeout: number;
    constructor(timeout: number, step?: "accept the connection" | "greet" | "answer `initialize`", hint?: string);
}

export declare class ConnectionLostError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "connection-lost" | "context-lost";
    readonly closeCode?: number;
    readonly closeReason?: string;
    sideEffectsPossible?: boolean;
    constructor(message: string, options?: AgentwireErrorOptions & {
        readonly code?: "connection-lost" | "context-lost";
        readonly closeCode?: number | undefined;
        readonly closeReason?: string | undefined;
        readonly sideEffectsPossible?: boolean | undefined;
    });
}

interface ConsistencyTest {
    readonly stated?: Nullish<string>;
    readonly actual?: Nullish<string>;
    readonly consistent?: Nullish<boolean>;
    readonly content?: Nullish<string>;
}

type Content = readonly (ChatMessage | ContentPart)[];

export type ContentPart = {
    readonly type: "text";
    readonly text: string;
} | {
    readonly type: "image";
    readonly image: string | Uint8Array;
    readonly mediaType?: string;
} | {
    readonly type: "file";
    readonly name: string;
    readonly text: string;
};

export interface Conversation<Event, Result extends TurnResult, Options, Input, State extends ConversationState = ConversationState> {
    readonly messages: readonly ConversationMessage[];
    readonly state: State;
    readonly shared: boolean;
    earlier(turns: number): State | undefined;
    prompt(input: PromptOf<Input>, options?: Options & TurnOptions): Turn<Event, Result>;
}

export interface ConversationChoices {
    readonly modes?: {
        readonly current: string | null;
        readonly available: readonly object[];
    };
    readonly models?: {
        readonly current: string | null;
        readonly available: readonly object[];
    };
    readonly commands?: readonly object[];
}

export interface ConversationMessage {
    readonly role: "user" | "assistant" | "system";
    readonly content: unknown;
}

export interface ConversationState {
    readonly protocol: string;
    readonly version: number;
}

export interface Cost {
    readonly amount: number;
    readonly unit: string;
}

interface Debug extends Timed {
    readonly type: "debug";
    readonly message: string;
}

export type DecidedBy = "policy" | "session" | "callback" | "reply" | "timeout" | "error" | "elsewhere" | "cancelled" | "ended" | "disconnected";

export type Decision = boolean | "once" | "always" | "reject" | {
    readonly decision: "once" | "always" | "reject";
    readonly scope?: GrantScope;
    readonly tool?: true;
    readonly reason?: string;
};

export type Delivery = "not-sent" | "accepted" | "unknown";

type Denier = "user" | "policy" | "server";

export interface ErrorByCode {
    "invalid-input": InvalidInputError;
    "already-consumed": InvalidInputError;
    unsupported: UnsupportedError;
    "connect-failed": ConnectError;
    "connect-timeout": ConnectTimeoutError;
    "handshake-refused": HandshakeError;
    "connection-lost": ConnectionLostError;
    "context-lost": ConnectionLostError;
    "request-refused": RequestError;
    "request-timeout": RequestTimeoutError;
    "turn-failed": TurnError;
    "turn-cancelled": TurnCancelledError;
    "turn-timeout": TurnTimeoutError;
    "buffer-overflow": BufferOverflowError;
    "queue-full": QueueFullError;
    "payload-too-large": PayloadTooLargeError;
    closed: ClosedError;
}

export type ErrorCode = "invalid-input" | "already-consumed" | "unsupported" | "connect-failed" | "connect-timeout" | "handshake-refused" | "connection-lost" | "context-lost" | "request-refused" | "request-timeout" | "turn-failed" | "turn-cancelled" | "turn-timeout" | "buffer-overflow" | "queue-full" | "payload-too-large" | "closed";

interface FetchBody {
    getReader(): {
        read(): Promise<{
            readonly done: boolean;
            readonly value?: Uint8Array | undefined;
        }>;
        cancel?(): Promise<void>;
    };
}

export interface FetchInit {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly redirect: "manual";
    readonly credentials?: "include" | "same-origin" | "omit";
    readonly signal: AbortSignal;
}

export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchResponse {
    readonly status: number;
    readonly type?: string;
    readonly headers: {
        get(name: string): string | null;
    };
    readonly body?: FetchBody | null;
    arrayBuffer(): Promise<ArrayBuffer>;
}

export interface FileList {
    readonly paths: readonly string[];
    readonly more: boolean;
}

export interface FilesOptions {
    readonly signal?: AbortSignal;
}

type FilesRead = Readonly<Record<string, string | null | undefined>>;

export interface FrameRecord {
    readonly direction: "in" | "out";
    readonly text: string;
}

export interface Grant {
    readonly id: string;
    readonly tool: string;
    readonly grant: string;
    readonly scope: Exclude<GrantScope, "once">;
    readonly turnId?: string;
}

export type GrantScope = "once" | "turn" | "session";

export interface HandlerContext {
    readonly signal: AbortSignal;
}

export declare class HandshakeError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "handshake-refused";
    readonly reason: HandshakeReason;
    readonly expected?: string;
    readonly got?: string | null;
    readonly closeCode?: number;
    constructor(reason: HandshakeReason, message: string, options?: AgentwireErrorOptions & {
        readonly closeCode?: number | undefined;
    }, fields?: object);
}

export type HandshakeReason = "nack" | "policy" | "duplicate" | "full" | "rejected" | "identity-mismatch" | "anonymous" | "timeout" | "refresh-failed" | "initializing" | "auth" | "version" | "closed";

interface Hold {
    readonly content: string;
    readonly topic?: Nullish<string>;
    readonly differ_user?: Nullish<string>;
    readonly is_identity?: Nullish<boolean>;
    readonly confidence?: Nullish<number>;
}

export type InboxCommand = {
    readonly type: "prompt";
    readonly input: string | PromptInput;
} | {
    readonly type: "withdraw" | "send_now";
    readonly target: string;
} | {
    readonly type: "edit_queued";
    readonly target: string;
    readonly input: string | PromptInput;
} | {
    readonly type: "move_queued";
    readonly target: string;
    readonly before: string | null;
} | {
    readonly type: "cancel";
    readonly target: string | {
        readonly session_id: string;
        readonly turn_id: string;
    };
} | {
    readonly type: "resume";
    readonly how?: "without-context" | "with-transcript";
} | {
    readonly type: "regenerate" | "select_branch";
    readonly message_id: string;
} | {
    readonly type: "set_mode" | "set_model";
    readonly id: string;
} | {
    readonly type: "edit";
    readonly message_id: string;
    readonly input: string | PromptInput;
};

export type InboxOutcome = "started" | "withdrawn" | "done";

export interface InboxPrompt {
    readonly key: string;
    readonly input: string | PromptInput;
    readonly at: number;
    readonly by?: string;
    readonly error?: AnyAgentwireError;
    readonly isTaken?: true;
}

interface InitResponse {
    readonly type: "init-response";
    readonly usage: number;
    readonly remainingBalance: number;
    readonly message?: Nullish<string>;
    readonly agentNames?: Nullish<Readonly<Record<string, string>>>;
    readonly next_quota_reset?: Nullish<string>;
    readonly balanceBreakdown?: Nullish<BalanceBreakdown>;
    readonly autoTopupAdded?: Nullish<number>;
}

interface Intention {
    readonly action: string;
    readonly content?: Nullish<string>;
    readonly condition?: Nullish<string>;
    readonly intention_id?: Nullish<string>;
    readonly success?: Nullish<boolean>;
    readonly status?: Nullish<string>;
}

export declare class InvalidInputError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "invalid-input" | "already-consumed";
    readonly hint: string;
    constructor(message: string, hint: string, options?: AgentwireErrorOptions & {
        readonly code?: "invalid-input" | "already-consumed";
    });
}

export interface KeepaliveOptions {
    readonly interval?: number;
    readonly timeout?: number;
}

export interface ListenOptions {
    readonly signal?: AbortSignal;
}

export interface LocalClientOptions extends Pick<SocketClientOptions, "maxQueuedTurns" | "maxQueuedBytes" | "maxBufferedBytes" | "maxTextBytes" | "signal" | "logger" | "debug" | "clock"> {
    readonly maxQueuedEvents?: number;
}

interface LogChunk {
    readonly type: "handlesteps-log-chunk";
    readonly userInputId: string;
    readonly agentId: string;
    readonly level: string;
    readonly data?: unknown;
    readonly message?: Nullish<string>;
}

export interface Logger {
    debug(message: string): void;
    info(message: string): void;
    warn(message: string): void;
    error(message: string): void;
}

interface Mark {
    readonly category: string;
    readonly description?: Nullish<string>;
}

export interface McpConfig {
    readonly type?: Nullish<string>;
    readonly command?: Nullish<string>;
    readonly args?: Nullish<readonly string[]>;
    readonly env?: Nullish<Readonly<Record<string, string>>>;
    readonly url?: Nullish<string>;
    readonly params?: Nullish<Readonly<Record<string, unknown>>>;
    readonly headers?: Nullish<Readonly<Record<string, string>>>;
}

export interface McpTool {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: {
        readonly type: "object";
    } & Readonly<Record<string, unknown>>;
}

export interface McpToolDataRequest {
    readonly type: "request-mcp-tool-data";
    readonly requestId: string;
    readonly mcpConfig: McpConfig;
    readonly toolNames?: Nullish<readonly string[]>;
}

export type McpToolsHandler = (request: McpToolDataRequest, context: HandlerContext) => readonly McpTool[] | Promise<readonly McpTool[]>;

interface MessageCost {
    readonly type: "message-cost-response";
    readonly promptId: string;
    readonly credits: number;
    readonly agentId?: Nullish<string>;
}

interface MessageEventLike {
    readonly data: unknown;
}

interface Milestone {
    readonly id?: Nullish<string>;
    readonly content?: Nullish<string>;
}

interface Narration {
    readonly type?: Nullish<string>;
    readonly level?: Nullish<string>;
    readonly trigger?: Nullish<string>;
    readonly content?: Nullish<string>;
}

interface Note {
    readonly type: string;
    readonly content?: Nullish<string>;
    readonly user?: Nullish<string>;
    readonly significance?: Nullish<string>;
    readonly level?: Nullish<string>;
    readonly frequency?: Nullish<string>;
    readonly valence?: Nullish<string>;
    readonly from_state?: Nullish<string>;
    readonly to_state?: Nullish<string>;
    readonly catalyst?: Nullish<string>;
}

type Nullish<T> = T | null | undefined;

export declare class PayloadTooLargeError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "payload-too-large";
    readonly bytes: number;
    readonly limit?: number;
    constructor(message: string, size: {
        readonly bytes: number;
        readonly limit?: number;
    });
}

export type PendingRequest = {
    readonly type: "approval";
    readonly id: string;
    readonly call: ToolCall;
} | {
    readonly type: "question";
    readonly id: string;
    readonly question: Question;
};

export type PrintModeEvent = {
    readonly type: "start";
    readonly agentId?: string;
    readonly messageHistoryLength?: number;
    readonly model?: string;
} | {
    readonly type: "text";
    readonly text: string;
    readonly agentId?: string;
} | {
    readonly type: "error";
    readonly message: string;
    readonly source?: string;
} | {
    readonly type: "download";
    readonly version: string;
    readonly status: string;
} | {
    readonly type: "tool_call";
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly agentId?: string;
    readonly parentAgentId?: string;
    readonly includeToolCall?: boolean;
} | {
    readonly type: "tool_progress";
    readonly toolCallId: string;
    readonly output: string;
    readonly toolName?: string;
    readonly parentAgentId?: string;
} | {
    readonly type: "tool_result";
    readonly toolCallId: string;
    readonly output: readonly ToolOutput[];
    readonly toolName?: string;
    readonly parentAgentId?: string;
} | {
    readonly type: "finish";
    readonly totalCost: number;
    readonly agentId?: string;
} | {
    readonly type: "subagent_start" | "subagent_finish";
    readonly agentId: string;
    readonly agentType: string;
    readonly displayName: string;
    readonly onlyChild: boolean;
    readonly model?: string;
    readonly parentAgentId?: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly prompt?: string;
} | {
    readonly type: "reasoning_delta";
    readonly text: string;
    readonly ancestorRunIds: readonly string[];
    readonly runId: string;
    readonly agentId?: string;
} | {
    readonly type: "subagent_chunk";
    readonly agentId: string;
    readonly agentType: string;
    readonly chunk: string;
} | {
    readonly type: "reasoning_chunk";
    readonly agentId: string;
    readonly ancestorRunIds: readonly string[];
    readonly chunk: string;
};

export interface ProjectFileContext {
    readonly projectRoot: string;
    readonly cwd: string;
    readonly fileTree: readonly unknown[];
    readonly fileTokenScores: Readonly<Record<string, unknown>>;
    readonly knowledgeFiles: Readonly<Record<string, string>>;
    readonly userKnowledgeFiles?: Readonly<Record<string, string>>;
    readonly agentTemplates: Readonly<Record<string, unknown>>;
    readonly customToolDefinitions: Readonly<Record<string, unknown>>;
    readonly gitChanges: Readonly<Record<"status" | "diff" | "diffCached" | "lastCommitMessages", string>>;
    readonly changesSinceLastChat: Readonly<Record<string, string>>;
    readonly shellConfigFiles: Readonly<Record<string, string>>;
    readonly systemInfo: Readonly<Record<"platform" | "shell" | "nodeVersion" | "arch" | "homedir", string> & {
        cpus: number;
    }>;
}

export interface PromptError {
    readonly type: "prompt-error";
    readonly userInputId: string;
    readonly message: string;
    readonly error?: Nullish<string>;
    readonly remainingBalance?: Nullish<number>;
}

export type PromptExtension = SubagentChunk | MessageCost | LogChunk | ToolCallRequest;

export interface PromptFile {
    readonly path: string;
    readonly location: string;
    readonly text?: string;
}

export interface PromptFiles {
    readonly root: string;
    readonly listFiles: (prefix: string, context: {
        readonly signal: AbortSignal;
    }) => Promise<FileList>;
    readonly promptFiles: (paths: readonly string[], context: {
        readonly signal: AbortSignal;
    }) => Promise<readonly PromptFile[]>;
}

export type PromptFrame = ResponseChunk | PromptResponse | PromptError | PromptExtension;

export interface PromptImage {
    readonly data: Uint8Array | string;
    readonly mediaType?: string;
}

export interface PromptInbox {
    readonly prompts: readonly InboxPrompt[];
    readonly isBusy: boolean;
    readonly contextLost: boolean;
    send(key: string, command: InboxCommand): Promise<InboxOutcome>;
    onChange(listener: (refused?: AnyAgentwireError) => void): Unsubscribe;
}

export interface PromptInput {
    readonly text: string;
    readonly images?: readonly PromptImage[];
    readonly files?: readonly string[];
}

export type PromptOf<Input> = string | (PromptInput & {
    readonly [Name in Exclude<keyof Input, keyof PromptInput>]?: never;
}) | (Input & {
    readonly [Name in keyof PromptInput]?: never;
});

export interface PromptResponse {
    readonly type: "prompt-response";
    readonly promptId: string;
    readonly sessionState: Readonly<Record<string, unknown>>;
    readonly toolCalls?: Nullish<readonly ToolCallData[]>;
    readonly toolResults?: Nullish<readonly Readonly<Record<string, unknown>>[]>;
    readonly output?: Nullish<Readonly<Record<string, unknown>>>;
}

export interface ProtocolWarning {
    readonly kind: string;
    readonly message: string;
    readonly raw?: string;
    readonly cause?: unknown;
    readonly turnId?: string;
}

export interface Question {
    readonly id: string;
    readonly questions: readonly QuestionItem[];
    readonly turnId?: string;
    readonly raw: unknown;
}

export interface QuestionItem {
    readonly question: string;
    readonly header?: string;
    readonly options: readonly {
        readonly label: string;
        readonly description?: string;
    }[];
    readonly multiSelect: boolean;
}

export declare class QueueFullError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "queue-full";
    readonly bytes: number;
    readonly limit: number;
    constructor(what: "bytes" | "turns", amount: number, limit: number);
}

export type ReadFilesHandler = (paths: readonly string[], context: HandlerContext) => FilesRead | Promise<FilesRead>;

export interface ReadFilesRequest {
    readonly type: "read-files" | "read-files-request";
    readonly requestId: string;
    readonly filePaths: readonly string[];
}

export interface ReconnectOptions {
    readonly maxAttempts?: number;
    readonly minDelay?: number;
    readonly maxDelay?: number;
    readonly shouldReconnect?: (error: AnyAgentwireError, attempt: number) => boolean;
}

export interface Reply {
    readonly answers: Answers;
    readonly by: DecidedBy;
    readonly reason?: string;
}

export declare class RequestError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "request-refused";
    readonly txid?: number;
    readonly serverMessage: string;
    constructor(message: string, options: AgentwireErrorOptions & {
        readonly txid?: number | undefined;
        readonly serverMessage: string;
    }, fields?: object);
}

export declare class RequestTimeoutError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "request-timeout";
    readonly txid?: number;
    readonly timeout: number;
    constructor(message: string, options: AgentwireErrorOptions & {
        readonly timeout: number;
        readonly txid?: number | undefined;
    });
}

interface ResponseChunk {
    readonly type: "response-chunk";
    readonly userInputId: string;
    readonly chunk: string | ChunkObject;
}

export interface ResponseChunkEvent extends ResponseChunk {
    readonly text: string;
    readonly parsed?: readonly unknown[];
}

export interface ResponseFrame {
    readonly type: "response";
    readonly text: string;
    readonly animations?: Nullish<readonly AnimationFrame[]>;
    readonly raw?: Nullish<string>;
    readonly tool_uses?: Nullish<readonly CassToolUse[]>;
    readonly conversation_id?: Nullish<string>;
    readonly audio?: Nullish<string>;
    readonly audio_format?: Nullish<string>;
    readonly input_tokens?: Nullish<number>;
    readonly output_tokens?: Nullish<number>;
    readonly cache_read_tokens?: Nullish<number>;
    readonly inputTokens?: Nullish<number>;
    readonly outputTokens?: Nullish<number>;
    readonly timestamp?: Nullish<string>;
    readonly provider?: Nullish<string>;
    readonly model?: Nullish<string>;
    readonly self_observations?: Nullish<readonly SelfObservation[]>;
    readonly user_observations?: Nullish<readonly UserObservation[]>;
    readonly marks?: Nullish<readonly Mark[]>;
    readonly holds?: Nullish<readonly Hold[]>;
    readonly notes?: Nullish<readonly Note[]>;
    readonly intentions?: Nullish<readonly Intention[]>;
    readonly stakes?: Nullish<readonly Stake[]>;
    readonly tests?: Nullish<readonly ConsistencyTest[]>;
    readonly narrations?: Nullish<readonly Narration[]>;
    readonly milestones?: Nullish<readonly Milestone[]>;
}

export interface Ruling {
    readonly decision: "once" | "always" | "reject";
    readonly scope?: "turn";
    readonly tool?: true;
    readonly by: DecidedBy;
    readonly reason?: string;
}

interface SelfObservation {
    readonly observation: string;
    readonly category?: Nullish<string>;
    readonly confidence?: Nullish<number>;
    readonly area?: Nullish<string>;
}

interface ServerError {
    readonly type: "Error";
    readonly message: string;
    readonly fatal: boolean;
}

export interface SessionStarted {
    readonly sessionId: string;
    readonly contextLost: boolean;
    readonly previousSessionId?: string;
}

export type SettledRequest = {
    readonly type: "approval";
    readonly id: string;
    readonly call: ToolCall;
    readonly ruling: Ruling;
} | {
    readonly type: "question";
    readonly id: string;
    readonly question: Question;
    readonly reply: Reply;
};

interface SharedClient<Event, Result extends TurnResult, Events extends {
    [Name in keyof Events]: readonly unknown[];
}> extends Pick<AgentClient<Event, Result, never, never, Events>, "status" | "closedBy" | "pending" | "grants" | "revoke" | "decide" | "answer" | "connect" | "close"> {
    on<Name extends keyof Events & string>(name: Name, listener: (...values: Events[Name]) => void, options?: ListenOptions): Unsubscribe;
    client: object;
}

export interface SocketClientOptions {
    readonly url: string | URL | (() => string | URL | Promise<string | URL>);
    readonly WebSocket?: new (url: string, protocols?: string[]) => WebSocketLike;
    readonly createWebSocket?: (url: string, init: WebSocketInit) => WebSocketLike;
    readonly headers?: Readonly<Record<string, string>>;
    readonly connectTimeout?: number;
    readonly keepalive?: KeepaliveOptions | false;
    readonly reconnect?: ReconnectOptions | false;
    readonly maxSendBytes?: number;
    readonly maxReceiveBytes?: number;
    readonly maxQueuedBytes?: number;
    readonly maxQueuedTurns?: number;
    readonly maxBufferedBytes?: number;
    readonly maxTextBytes?: number;
    readonly signal?: AbortSignal;
    readonly logger?: Logger;
    readonly debug?: boolean;
    readonly allowInsecure?: boolean;
    readonly clock?: Clock;
}

interface Stake {
    readonly what?: Nullish<string>;
    readonly why?: Nullish<string>;
    readonly content?: Nullish<string>;
    readonly strength?: Nullish<string>;
    readonly category?: Nullish<string>;
}

interface SubagentChunk {
    readonly type: "subagent-response-chunk";
    readonly userInputId: string;
    readonly agentId: string;
    readonly agentType: string;
    readonly chunk: string;
    readonly prompt?: Nullish<string>;
    readonly forwardToPrompt?: Nullish<boolean>;
}

interface Thinking extends Timed {
    readonly type: "thinking";
    readonly status: string;
    readonly memories?: Nullish<CassMemories>;
}

interface Timed {
    readonly timestamp?: Nullish<string>;
}

export interface TimerOptions {
    readonly unref?: boolean;
}

export interface ToolCall {
    readonly id: string;
    readonly name: string;
    readonly input: unknown;
    readonly turnId?: string;
    readonly grant?: string;
    readonly agent?: string;
    readonly preview?: readonly ToolPreview[];
    readonly raw: unknown;
}

interface ToolCallData {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly input: unknown;
}

export interface ToolCallRequest {
    readonly type: "tool-call-request";
    readonly userInputId?: Nullish<string>;
    readonly requestId?: Nullish<string>;
    readonly toolCallId?: Nullish<string>;
    readonly toolName: string;
    readonly input?: Nullish<Readonly<Record<string, unknown>>>;
    readonly toolArgs?: Nullish<Readonly<Record<string, unknown>>>;
    readonly timeout?: Nullish<number>;
    readonly mcpConfig?: Nullish<McpConfig>;
}

export type ToolCallState = "requested" | "awaiting" | "approved" | "running" | "done" | "failed" | "denied" | "abandoned";

export type ToolOutput = {
    readonly type: "json";
    readonly value: unknown;
} | {
    readonly type: "media";
    readonly data: string;
    readonly mediaType: string;
};

export interface ToolPreview {
    readonly path: string;
    readonly diff: string;
    readonly by: "tool" | "agent";
    readonly old_text?: string;
    readonly new_text?: string;
}

export interface ToolRule {
    readonly tool: string | RegExp;
    readonly when?: (call: ToolCall) => boolean;
    readonly then: "allow" | "deny" | "ask";
}

export interface Turn<Event, Result extends TurnResult> extends AsyncIterable<Event> {
    readonly id: string;
    readonly status: TurnStatus;
    readonly text: string;
    readonly toolCalls: readonly TurnToolCall[];
    readonly pending: readonly PendingRequest[];
    readonly textStream: AsyncIterable<string>;
    readonly result: Promise<Result>;
    readonly outcome: Promise<TurnOutcome<Result>>;
    [Symbol.asyncIterator](): AsyncIterator<Event, undefined>;
    cancel(reason?: unknown): Promise<TurnOutcome<Result>>;
    on<Name extends keyof TurnEvents<Event> & string>(name: Name, listener: (...values: TurnEvents<Event>[Name]) => void, options?: ListenOptions): Unsubscribe;
    on<Name extends keyof TurnEvents<AnyEvent>>(name: Name, listener: (...values: TurnEvents<AnyEvent>[Name]) => void, options?: ListenOptions): Unsubscribe;
}

export declare class TurnCancelledError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "turn-cancelled";
    readonly by: "user" | "signal";
    constructor(by: "user" | "signal", options?: AgentwireErrorOptions);
}

export declare class TurnError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "turn-failed";
    readonly origin: string;
    readonly kind: string;
    readonly serverMessage: string;
    readonly status?: number;
    readonly retryAfter?: number;
    readonly balance?: number;
    constructor(options: TurnErrorOptions, fields?: object);
}

export interface TurnErrorOptions extends AgentwireErrorOptions {
    readonly origin: string;
    readonly kind: string;
    readonly serverMessage: string;
    readonly advice?: string | undefined;
    readonly status?: number | undefined;
    readonly retryAfter?: number | undefined;
    readonly balance?: number | undefined;
}

export interface TurnEvents<Event> {
    event: [
        event: Event
    ];
    status: [
        status: TurnStatus
    ];
    approval: [
        call: ToolCall
    ];
    question: [
        question: Question
    ];
    toolCall: [
        call: TurnToolCall
    ];
    end: [
        end: TurnOutcome<TurnResult>
    ];
}

type TurnMessage = TextDelta | ThinkingDelta | ToolRequest | ToolAwaitingApproval | ToolStarted | ToolDelta | ToolCompleted | ToolError | Finished | Retrying;

export interface TurnOptions {
    readonly signal?: AbortSignal;
    readonly timeout?: number;
    readonly idleTimeout?: number;
    readonly read?: boolean;
    readonly key?: string;
    readonly branchOf?: string;
    readonly shown?: string | PromptInput;
}

export type TurnOutcome<Result extends TurnResult> = {
    readonly status: "completed";
    readonly result: Result;
} | {
    readonly status: "cancelled";
    readonly by: "user" | "signal";
    readonly partial: TurnPartial;
} | {
    readonly status: "failed";
    readonly error: AnyAgentwireError;
    readonly partial: TurnPartial;
};

export interface TurnPartial {
    readonly text: string;
    readonly toolCalls?: readonly TurnToolCall[];
    readonly usage?: Usage;
    readonly cost?: Cost;
    readonly state?: unknown;
    readonly endedBy?: unknown;
}

export interface TurnResult {
    readonly text: string;
    readonly truncated?: boolean;
    readonly usage?: Usage;
    readonly cost?: Cost;
}

export type TurnStatus = "queued" | "sent" | "streaming" | "recovering" | "cancelling" | "completed" | "cancelled" | "failed";

export declare class TurnTimeoutError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "turn-timeout";
    readonly kind: "idle" | "total";
    readonly timeout: number;
    constructor(kind: "idle" | "total", timeout: number, { advice, linkLives, retryable, }?: {
        readonly advice?: string;
        readonly linkLives?: boolean;
        readonly retryable?: boolean;
    });
}

export interface TurnToolCall extends Omit<ToolCall, "turnId" | "grant" | "agent"> {
    readonly state: ToolCallState;
    readonly output?: unknown;
    readonly error?: string;
    readonly deniedBy?: Denier;
    readonly reason?: string;
    readonly startInferred?: true;
    readonly background?: boolean;
    readonly agentId?: number | string;
}

export type Unsubscribe = () => void;

export declare class UnsupportedError extends AgentwireError {
    protected static readonly className: string;
    readonly code: "unsupported";
    readonly hint: string;
    constructor(message: string, hint: string);
}

export interface Usage {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
}

interface UsageResponse {
    readonly type: "usage-response";
    readonly usage: number;
    readonly remainingBalance: number;
    readonly balanceBreakdown?: Nullish<BalanceBreakdown>;
    readonly next_quota_reset?: Nullish<string>;
    readonly autoTopupAdded?: Nullish<number>;
    readonly autoTopupEnabled?: Nullish<boolean>;
}

interface UserObservation {
    readonly observation: string;
    readonly category?: Nullish<string>;
    readonly confidence?: Nullish<number>;
    readonly direction?: Nullish<string>;
}

export interface WebSocketInit {
    readonly protocols: readonly string[];
    readonly headers: Readonly<Record<string, string>>;
}

export interface WebSocketLike {
    readonly readyState: number;
    binaryType?: string;
    send(data: string): void;
    close(code?: number, reason?: string): void;
    terminate?(): void;
    addEventListener(type: "open", listener: () => void): void;
    addEventListener(type: "message", listener: (event: MessageEventLike) => void): void;
    addEventListener(type: "close", listener: (event: CloseEventLike) => void): void;
    addEventListener(type: "error", listener: (event: object) => void): void;
    removeEventListener(type: "open", listener: () => void): void;
    removeEventListener(type: "message", listener: (event: MessageEventLike) => void): void;
    removeEventListener(type: "close", listener: (event: CloseEventLike) => void): void;
}

declare const asyncDispose: typeof Symbol.asyncDispose;

export declare function isAgentwireError<Code extends ErrorCode>(error: unknown, code: Code): error is ErrorByCode[Code];
export declare function isAgentwireError(error: unknown): error is AnyAgentwireError;

export declare function isPrintModeEvent(chunk: unknown): chunk is PrintModeEvent;

export declare function newSessionState(project?: Partial<ProjectFileContext>): Readonly<Record<"fileContext" | "mainAgentState", Readonly<Record<string, unknown>>>>;
