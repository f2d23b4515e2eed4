// agentwire/testing

interface AcceptedConnection {
    readonly client: TestSocket;
    readonly info?: {
        readonly protocols?: string | readonly string[] | undefined;
    };
}

declare class Account {
    #private;
    constructor(granted: number);
    charge(credits: number): void;
    get figures(): AccountFigures;
}

interface AccountFigures {
    readonly usage: number;
    readonly remainingBalance: number;
    readonly balanceBreakdown?: {
        readonly [source: string]: number;
    };
    readonly next_quota_reset: string | null;
    readonly autoTopupAdded?: number;
    readonly autoTopupEnabled?: boolean;
}

export type Answer = (prompt: ReceivedPrompt, context: AnswerContext) => Script;

interface AnswerContext {
    readonly signal: AbortSignal;
    readonly clock: Clock;
}

type AnswerData = ToolCallResponseData | ReadFilesResponseData | McpToolData;

export interface Asked {
    readonly kind: ReceivedAnswer["kind"];
    readonly requestId: string | undefined;
    readonly wait: boolean | undefined;
    readonly paths: readonly string[];
    readonly patience: number | undefined;
    readonly late: RequestResult;
    dataFor(requestId: string, promptId: string): Readonly<Record<string, unknown>>;
}

interface Asking {
    readonly turn: AskingTurn | undefined;
    readonly isHandled: boolean;
    readonly source?: string | undefined;
    readonly isAllowed?: boolean | undefined;
    readonly about?: {
        readonly subject: Subject | undefined;
    } | undefined;
    readonly preview?: TellPreview | undefined;
    readonly decided: (ruling: Ruling) => void;
}

interface AskingTurn {
    readonly status: TurnStatus;
    hold(): () => void;
    opened(request: PendingRequest): void;
    closed(id: string): void;
}

type AuthOutcome = "off" | "action-error" | "no-user" | "no-credits" | "no-organization-credits";

export interface BackendAnswer {
    readonly match?: BackendMatch;
    readonly reasoning?: string | readonly (string | BackendGate)[];
    readonly text?: string | readonly (string | BackendGate)[];
    readonly toolCalls?: readonly (BackendToolCall | BackendGate)[];
    readonly parts?: readonly BackendPart[];
    readonly finish?: string;
    readonly usage?: BackendUsage;
    readonly frames?: readonly (string | Uint8Array | BackendGate)[];
    readonly delayMs?: number;
    readonly gapMs?: number;
    readonly refused?: BackendRefusal;
    readonly sse?: BackendSse;
}

export interface BackendAnswerContext {
    readonly request: BackendChat;
    readonly agentId: string | null;
    readonly runId: string | null;
    readonly call: number;
    readonly userId: string;
    readonly signal: AbortSignal;
    readonly clock: Clock;
}

type BackendAnswerer = (context: BackendAnswerContext) => BackendReply | readonly BackendReply[] | PromiseLike<BackendReply | readonly BackendReply[]>;

interface BackendChat {
    readonly body: Readonly<Record<string, unknown>>;
    readonly model: string;
    readonly messages: readonly BackendChatMessage[];
    readonly tools: readonly string[];
    readonly stream: boolean;
    readonly clientId: string | null;
    readonly costMode: string | null;
    readonly n: number | null;
}

interface BackendChatMessage {
    readonly role: string;
    readonly text: string;
    readonly toolCalls: readonly BackendChatToolCall[];
    readonly toolCallId: string | null;
}

interface BackendChatToolCall {
    readonly id: string;
    readonly name: string;
    readonly arguments: unknown;
}

interface BackendDocsSearch {
    readonly libraryTitle: string;
    readonly topic: string | undefined;
    readonly maxTokens: number | undefined;
}

export type BackendEndpoint = "healthz" | "me" | "agents" | "agent-runs" | "steps" | "token-count" | "chat" | "web-search" | "docs-search";

export interface BackendFaultOptions {
    readonly status?: number;
    readonly body?: unknown;
    readonly raw?: string | Uint8Array;
    readonly headers?: Readonly<Record<string, string>>;
    readonly delayMs?: number;
    readonly hang?: boolean;
    readonly reset?: boolean;
    readonly times?: number;
    readonly call?: number;
    readonly when?: "START" | "FINISH";
}

interface BackendFinish {
    readonly at: number;
    readonly status: "completed" | "failed" | "cancelled";
    readonly totalSteps: number;
    readonly directCredits: number;
    readonly totalCredits: number;
    readonly errorMessage: string | undefined;
}

export type BackendFreeModeGate = "free_mode_gemini_thinker_required" | "free_mode_invalid_agent_model" | "free_mode_cli_required" | "free_mode_invalid_agent_hierarchy" | "session_model_mismatch" | "session_superseded" | "session_expired" | "waiting_room_required" | "waiting_room_queued" | "free_mode_rate_limited";

type BackendGate = PromiseLike<unknown> | ((stream: {
    readonly signal: AbortSignal;
}) => unknown);

interface BackendMatch {
    readonly agentId?: string;
    readonly call?: number;
    readonly model?: string;
}

type BackendPart = {
    readonly text: string;
} | {
    readonly reasoning: string;
} | {
    readonly toolCall: BackendToolCall;
} | BackendGate;

interface BackendRefusal {
    readonly status?: number;
    readonly message?: string;
    readonly type?: string;
}

export type BackendReply = string | BackendAnswer;

export interface BackendRequest {
    readonly id: number;
    readonly at: number;
    readonly endpoint: BackendEndpoint | undefined;
    readonly action: "START" | "FINISH" | undefined;
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
    readonly text: string;
    readonly userId: string | null;
    readonly runId: string | null;
    readonly state: "open" | "answered" | "cut" | "disconnected";
    readonly response: BackendResponse | undefined;
}

interface BackendRequestFilter {
    readonly endpoint?: BackendEndpoint;
    readonly action?: "START" | "FINISH";
    readonly method?: string;
    readonly runId?: string;
    readonly userId?: string;
    readonly state?: BackendRequest["state"];
    readonly status?: number;
}

interface BackendResponse {
    readonly at: number;
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
    readonly frames: readonly string[];
}

interface BackendRun {
    readonly id: string;
    readonly agentId: string;
    readonly userId: string;
    readonly ancestorRunIds: readonly string[];
    readonly startedAt: number;
    readonly status: "running" | BackendFinish["status"];
    readonly chatCalls: number;
    readonly steps: readonly BackendStep[];
    readonly finish: BackendFinish | undefined;
}

export type BackendScript = readonly BackendReply[] | BackendScriptFile | BackendAnswerer;

interface BackendScriptFile {
    readonly answers: readonly BackendReply[];
    readonly faults?: {
        readonly [endpoint in BackendEndpoint]?: readonly BackendFaultOptions[];
    };
}

export interface BackendSse {
    readonly chunkBytes?: number;
    readonly crlf?: boolean;
    readonly cr?: boolean;
    readonly noConnected?: boolean;
    readonly heartbeatMs?: number;
    readonly multiData?: boolean;
    readonly noDone?: boolean;
    readonly noFinish?: boolean;
    readonly noUsage?: boolean;
    readonly usageOnFinish?: boolean;
    readonly noToolIds?: boolean;
    readonly repeatToolIds?: boolean;
    readonly emptyChoices?: boolean;
    readonly extraChoice?: boolean;
    readonly cutAfter?: number;
    readonly endAfter?: number;
    readonly errorAfter?: number;
    readonly badJsonAfter?: number;
    readonly stallAfter?: number;
    readonly asJson?: boolean;
    readonly html502?: boolean;
    readonly redirect?: string;
    readonly gzip?: boolean;
}

interface BackendStep {
    readonly id: string;
    readonly stepNumber: number;
    readonly credits: number;
    readonly childRunIds: readonly string[];
    readonly messageId: string | null;
    readonly status: "running" | "completed" | "skipped";
    readonly startTime: string;
    readonly errorMessage: string | undefined;
}

export interface BackendToolCall {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly rawArguments?: string;
    readonly fragments?: number;
    readonly id?: string;
}

interface BackendUsage {
    readonly cost?: number;
    readonly upstream_inference_cost?: number;
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly cached_tokens?: number;
    readonly reasoning_tokens?: number;
}

export interface BackendUser extends BackendUserSwitches {
    readonly key: string;
    readonly id: string;
    readonly email: string;
    readonly discordId: string | null;
    readonly referralCode: string | null;
    readonly referralLink: string | null;
    readonly stripeCustomerId: string | null;
}

type BackendUserSwitches = Pick<MockCodebuffBackendSwitches, "banned" | "country" | "quota" | "balance">;

export interface BackendViolation {
    readonly request: BackendRequest;
    readonly kind: BackendViolationKind;
    readonly detail: string;
}

export type BackendViolationKind = "unknown-route" | "content-type" | "invalid-json" | "key-outside-headers" | "bad-field" | "missing-run-id" | "unknown-run" | "run-not-running" | "finished-twice" | "client-id-changed" | "orphan-tool-message" | "unanswered-tool-call" | "repeated-tool-call-id" | "repeated-tool-message" | "bad-arguments" | "unmerged-assistant-messages" | "metadata-to-provider";

interface BackendWebSearch {
    readonly query: string;
    readonly depth: string;
}

type BinaryFrames = "utf-8" | "unreadable";

export type CassAnswer = (turn: ReceivedTurn, context: CassAnswerContext) => CassScript | {
    readonly switches: MockCassSwitches;
    readonly script: CassScript;
};

interface CassAnswerContext {
    readonly signal: AbortSignal;
    readonly clock: Clock;
}

interface CassClaims {
    readonly sub?: string;
    readonly type?: "access" | "refresh";
    readonly user_id?: string;
    readonly display_name?: string;
    readonly is_admin?: boolean;
    readonly exp: number;
    readonly iat?: number;
}

export interface CassConnection extends ServedConnection {
    readonly state: "open" | "ready" | "zombie" | "closed";
    readonly userId: string | null;
    readonly model: CassModel;
    set(switches: MockCassSwitches): void;
    push(message: CassServerFrame): void;
}

export interface CassConversation {
    readonly id: string;
    readonly title: string;
    readonly userId: string | null;
    readonly projectId: string | null;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly continuous: boolean;
    readonly messages: readonly CassMessage[];
    readonly summarized: number;
    readonly summarizedAt: string | null;
}

interface CassDeath {
    readonly at: "connected" | 0 | 1 | 2 | "stored";
    readonly by: CassEnd | number;
}

type CassEnd = "drop" | "close1000" | "zombie";

interface CassFrame extends FrameRecord<CassConnection> {
    readonly binary: boolean;
}

interface CassMessage {
    readonly role: "user" | "assistant";
    readonly content: string;
    readonly timestamp: string;
    readonly animations: readonly unknown[];
    readonly userId: string | null;
    readonly reply: ({
        readonly inputTokens: number;
        readonly outputTokens: number;
    } & CassModel) | undefined;
}

interface CassModel {
    readonly provider: CassProvider;
    readonly model: string;
}

interface CassOpening {
    readonly number: number;
    readonly userId: string | null;
}

export type CassProvider = "anthropic" | "openai" | "local";

interface CassReceived {
    readonly at: number;
    readonly connection: CassConnection;
    readonly message: Readonly<Record<string, unknown>>;
}

interface CassRequest {
    readonly at: number;
    readonly method: string;
    readonly path: string;
    readonly route: CassRoute | undefined;
    readonly userId: string | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
    readonly status: number | undefined;
}

export type CassRoute = (typeof ROUTES)[number];

export type CassScript = StepSource<CassStep, undefined>;

interface CassServerFrame {
    readonly type: string;
    readonly [field: string]: unknown;
}

interface CassStatusTexts {
    readonly retrieving?: string;
    readonly processing?: string;
    readonly generating?: string;
    readonly tools?: string;
    readonly intro?: string;
    readonly demo?: string;
}

export type CassStep = string | {
    readonly kind: "tools";
    readonly tools: readonly CassTool[];
} | {
    readonly kind: "unexecuted";
    readonly tools: readonly CassTool[];
} | {
    readonly kind: "usage";
    readonly usage: CassUsage;
} | {
    readonly kind: "fields";
    readonly fields: Readonly<Record<string, unknown>>;
} | {
    readonly kind: "title";
    readonly title: string;
} | {
    readonly kind: "say";
    readonly message: CassServerFrame;
} | {
    readonly kind: "fail";
    readonly message: string;
} | {
    readonly kind: "die";
    readonly by: CassEnd | number;
} | {
    readonly kind: "delay";
    readonly ms: number;
} | {
    readonly kind: "hang";
} | {
    readonly kind: "raw";
    readonly frame: string | Uint8Array;
} | {
    readonly kind: "drop-mid-frame";
    readonly frame: string;
};

interface CassTool {
    readonly name: string;
    readonly input?: unknown;
    readonly result?: string;
    readonly success?: boolean;
}

export interface CassUsage {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly cache_read_tokens?: number;
}

export interface CassUser {
    readonly userId: string;
    readonly email: string;
    readonly displayName: string;
}

export type CassViolationKind = "subprotocol-requested" | "malformed-frame" | "binary-frame" | "invalid-json" | "not-an-object" | "unknown-type" | "oversize-frame" | "frame-before-connected" | "empty-token" | "refresh-token" | "chat-before-auth" | "message-not-string" | "empty-message" | "bad-conversation-id" | "image-without-mime" | "image-data-url" | "null-profile" | "user-id-in-chat" | "turn-in-flight" | "frame-mid-turn" | "resent-chat" | "ping-too-soon" | "reconnect-storm" | "unescaped-token" | "token-to-other-origin";

interface ChunkStep {
    readonly kind: "chunk";
    readonly chunk: string | object;
}

declare class ClientCore<Event, Result extends TurnResult, Events extends ClientEvents<Event, Result> & {
    [Name in keyof Events]: readonly unknown[];
}> extends Voice<Event, Turn<Event, Result>, Events> implements SharedClient<Event, Result, Events>, ConnectionHost, RunnerHost<Event, Result>, GateHost {
    #private;
    readonly clock: Clock;
    readonly limits: TurnLimits;
    connection: Connection;
    constructor(setup: ClientCoreSetup<Events>);
    serve(parts: ProtocolParts<Event, Result>): void;
    assertPrivate(): void;
    address(): Promise<URL>;
    get status(): ClientStatus;
    get closedBy(): AnyAgentwireError | undefined;
    get reopens(): boolean;
    get pending(): readonly PendingRequest[];
    decide(id: string, decision: Decision): Ruling;
    answer(id: string, answer: Answer): Reply;
    get grants(): readonly Grant[];
    revoke(id: string): boolean;
    isOpen(id: string): boolean;
    find(turnId: string): Turn<Event, Result> | undefined;
    connect(options?: ConnectOptions): Promise<void>;
    close(options?: CloseOptions): Promise<void>;
    get isClosing(): boolean;
    get closedError(): ClosedError | undefined;
    assertOpen(): void;
    answeredWithin(time: number): boolean;
    wanted(): void;
    needed(): void;
    dial(stillWanted: () => boolean): Promise<WebSocketLike>;
    target(): string;
    redact(text: string): string;
    onReconnecting(backoff: Backoff): void;
    onDisconnected(error: AgentwireError): void;
    onStatus(status: ClientStatus): void;
}

interface ClientCoreSetup<Events> extends ConnectionSetup {
    readonly events: EventNames<Events>;
    readonly options: SocketClientOptions;
    readonly resolved: ResolvedSocketOptions;
    readonly drainTimeout: number;
}

type ClientMessage = {
    readonly type: "SendMessage";
    readonly content: string;
    readonly agent_id: number | null;
} | {
    readonly type: "ToolDecision";
    readonly call_id: string;
    readonly approved: boolean;
} | {
    readonly type: "Cancel" | "GetHistory" | "GetState" | "Ping";
};

declare class ClientParts implements Parts {
    readonly backend: MockBackend;
    readonly core: MockCore;
    readonly link: Link;
    readonly gate: Gate;
    readonly turns: MockTurns;
    constructor(backend: MockBackend);
}

interface ClientProtocol extends Protocol {
    carriesCredentials(): boolean;
    address?(url: string): string | Promise<string>;
    closing?(): void;
}

type CodebuffMockSettings = Required<Omit<MockCodebuffSwitches, Group | "profile">> & {
    readonly [Name in Group]: Required<Exclude<NonNullable<MockCodebuffSwitches[Name]>, false>> | Extract<MockCodebuffSwitches[Name], false>;
};

export type CodeyAnswer = (send: ReceivedSend, context: CodeyAnswerContext) => CodeyScript;

interface CodeyAnswerContext {
    readonly signal: AbortSignal;
    readonly clock: Clock;
}

export interface CodeyCall {
    readonly name: string;
    readonly params?: unknown;
    readonly background?: boolean;
    readonly callId?: string;
    readonly filter?: "none" | "allow" | "deny";
    readonly result?: CodeyCallResult;
    readonly delay?: number;
    readonly deltas?: readonly string[];
}

export interface CodeyCallOutcome {
    readonly callId: string;
    readonly state: "completed" | "failed" | "denied" | "running";
    readonly content: string;
}

type CodeyCallResult = string | {
    readonly error: string;
} | {
    readonly invalid: string;
} | {
    readonly hangs: true;
} | (() => string | Promise<string>);

interface CodeyCallsStep {
    readonly kind: "calls";
    readonly calls: readonly CodeyCall[];
    [Symbol.iterator](): Generator<CodeyStep, readonly CodeyCallOutcome[]>;
}

export interface CodeyConnection extends ServedConnection {
    readonly sessionId: string;
    readonly state: "open" | "ready" | "deaf" | "closed";
    readonly session: "live" | "leaked" | "ended";
}

interface CodeyFrame extends FrameRecord<CodeyConnection> {
    readonly binary: boolean;
}

interface CodeyReceived extends Received {
    readonly message: ClientMessage;
}

export type CodeyScript = StepSource<CodeyStep, CodeyStepResult>;

export type CodeyStep = string | {
    readonly kind: "thinking";
    readonly content: string;
} | CodeyCallsStep | {
    readonly kind: "usage";
    readonly usage: Partial<CodeyUsage>;
} | {
    readonly kind: "error";
    readonly message: string;
    readonly fatal: boolean;
} | {
    readonly kind: "retrying";
    readonly error: string;
    readonly times: number | undefined;
} | {
    readonly kind: "sub-agent";
    readonly agentId: number;
    readonly texts: readonly string[];
} | {
    readonly kind: "delay";
    readonly ms: number;
} | {
    readonly kind: "hang";
} | {
    readonly kind: "raw";
    readonly frame: string | Uint8Array;
} | {
    readonly kind: "drop";
} | {
    readonly kind: "drop-mid-frame";
    readonly frame: string;
} | {
    readonly kind: "close";
    readonly code: number;
    readonly reason: string;
};

type CodeyStepResult = readonly CodeyCallOutcome[] | undefined;

export interface CodeyUsage {
    readonly output_tokens: number;
    readonly context_tokens: number;
    readonly cache_creation_tokens: number;
    readonly cache_read_tokens: number;
}

export type CodeyViolationKind = "subprotocol-requested" | "malformed-frame" | "frame-before-connected" | "binary-frame" | "oversize-frame" | "invalid-json" | "invalid-message" | "unknown-type" | "lone-surrogate" | "blank-content" | "send-mid-turn" | "send-before-barrier" | "decision-unknown" | "decision-early" | "decision-repeated" | "decision-late" | "approval-not-denied" | "left-mid-turn";

declare class Connection implements KeepaliveUser, SocketUser {
    #private;
    readonly frames: Frames;
    constructor(setup: ConnectionSetup, host: ConnectionHost, protocol: Protocol);
    get status(): ClientStatus;
    get closedBy(): AgentwireError | undefined;
    closedError(reason: AgentwireError | undefined): ClosedError;
    connect(): Promise<void>;
    hurry(): void;
    renew(): void;
    get writable(): boolean;
    send(text: string, unwritten?: () => void): void;
    answered(): void;
    askedAgain(): void;
    whenLoaded(goOn: () => void): void;
    accept(): void;
    refuse(error: AgentwireError, again?: "at-once" | "never"): void;
    healthy(): void;
    alive(): void;
    get keepalive(): Keepalive | undefined;
    ping(): boolean;
    excused(): boolean;
    onDead(timeout: number): void;
    onOpen(): void;
    onRefused(cause: unknown): void;
    farewell(): readonly string[];
    onEnd(reported: SocketEnd): void;
    drop(end: SocketEnd | AgentwireError): void;
    drained(): void;
    close(options: {
        readonly force: boolean;
        readonly drainTimeout: number;
    }): Promise<void>;
}

interface ConnectionClosed {
    readonly code: number;
    readonly reason: string;
    readonly wasClean: boolean;
    readonly by: "client" | "server";
}

interface ConnectionFaults {
    hugeFrame(bytes: number, text?: string): void;
    malformed(kind: MalformedFrame): void;
    bytes(bytes: Uint8Array): void;
    dripFeed(pace?: Partial<DripPace> | false): void;
    freezeMidFrame(text: string): void;
    neverHangUp(): void;
}

interface ConnectionHost {
    onStatus(status: ClientStatus): void;
    onReconnecting(backoff: Backoff): void;
    onDisconnected(error: AgentwireError): void;
    warn(kind: string, problem: string, details?: {
        readonly raw?: string;
        readonly cause?: unknown;
    }): void;
    frame(direction: "in" | "out", text: string): void;
    listenerThrew(error: unknown, name: string): void;
    dial(stillWanted: () => boolean): Promise<WebSocketLike>;
    target(): string;
    redact(text: string): string;
}

interface ConnectionSetup {
    readonly resolved: LinkOptions;
    readonly connectTimeoutHint?: string;
    readonly stableAfter: number | undefined;
    readonly binary: BinaryFrames;
    readonly late?: readonly Late<unknown>[];
    readonly proof: "frame" | "protocol";
    readonly hot?: readonly HotKind[];
}

interface Course<J> {
    pump(): void;
    stop(job: J, again: boolean): void;
    settled?(job: J): void;
}

interface Deferred<T> {
    readonly promise: Promise<T>;
    resolve(value: T | PromiseLike<T>): void;
    reject(error: unknown): void;
}

interface Dict {
    readonly [key: string]: unknown;
}

interface DripPace {
    readonly bytes: number;
    readonly pause: number;
}

declare const ENOUGH: unique symbol;

declare class Emitter<Events extends {
    [Name in keyof Events]: readonly unknown[];
}> {
    #private;
    constructor(names: EventNames<Events>, outbox: Outbox, host: EmitterHost);
    on<Name extends keyof Events & string>(name: Name, listener: (...values: Events[Name]) => void, options?: ListenOptions): Unsubscribe;
    onWithPresent<Name extends keyof Events & string>(name: Name, listener: (...values: Events[Name]) => void, options: ListenOptions | undefined, present: () => Iterable<Events[Name]>): Unsubscribe;
    emit<Name extends keyof Events & string>(name: Name, ...values: Events[Name]): void;
    emitWhile<Name extends keyof Events & string>(name: Name, stands: () => boolean, ...values: Events[Name]): void;
    emitThrown<Name extends keyof Events & string>(name: Name, ...values: Events[Name]): void;
    close(): void;
    has(name: keyof Events & string): boolean;
}

interface EmitterHost {
    listenerThrew(error: unknown, name: string): void;
}

type End = Omit<ConnectionClosed, "wasClean">;

export declare class EventLogCheckError extends AggregateError {
    readonly name = "EventLogCheckError";
}

export interface EventLogCheckOptions {
    readonly elapse?: (ms: number) => void | Promise<void>;
}

export type EventLogHandles = EventLog | readonly [
    EventLog,
    EventLog
];

export interface EventLogPromise {
    readonly name: string;
    check(makeLog: MakeEventLog, options?: EventLogCheckOptions): Promise<void>;
}

type EventNames<Events> = Readonly<Record<keyof Events, true>>;

interface ExampleSessionState {
    readonly fileContext: {
        readonly [key: string]: unknown;
    };
    readonly mainAgentState: {
        readonly [key: string]: unknown;
    };
}

type FailureKind = "before-stream" | "mid-stream" | "silent" | "sse-error" | "prompt-error" | "error-then-response" | "response-then-error";

interface FakeCodebuffAnswers {
    readonly byPrompt: {
        readonly [prompt: string]: FakeCodebuffScript;
    };
    readonly default?: FakeCodebuffScript;
}

export declare class FakeCodebuffCli {
    #private;
    readonly path: string;
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    private constructor();
    static start(scenario?: FakeCodebuffScenario): Promise<FakeCodebuffCli>;
    set(scenario: {
        readonly [Key in keyof FakeCodebuffScenario]: FakeCodebuffScenario[Key] | undefined;
    }): void;
    runs(): readonly FakeCodebuffRecord[];
    nextRun(when?: "started" | "ended"): Promise<FakeCodebuffRecord>;
    waitFor<T>(probe: (cli: this) => T | undefined | false | null): Promise<T>;
    gone(pid: number): Promise<void>;
    release(name: string): void;
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

interface FakeCodebuffEnd {
    readonly code: number | null;
    readonly signal: string | null;
    readonly atMs: number;
}

interface FakeCodebuffEvent {
    readonly type: string;
    readonly [field: string]: unknown;
}

interface FakeCodebuffExit {
    readonly code?: number;
    readonly afterMs?: number;
    readonly signal?: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL" | "SIGSEGV" | "SIGABRT";
    readonly never?: boolean;
}

export type FakeCodebuffFailure = "401" | "402" | "403" | "429" | "500" | "502" | "503" | "504" | "me" | "no-key" | "no-prompt" | "agent" | "no-response" | "connect";

interface FakeCodebuffMessage {
    readonly role: "user" | "assistant";
    readonly content: string;
}

interface FakeCodebuffNoise {
    readonly text: string;
    readonly atMs?: number;
}

export type FakeCodebuffProfile = "note" | "fork" | "print" | "tui";

interface FakeCodebuffQuestion {
    readonly toolCallId?: string;
    readonly toolName?: string;
    readonly input?: unknown;
    readonly result?: unknown;
}

export interface FakeCodebuffRecord {
    readonly argv: readonly string[];
    readonly cwd: string;
    readonly pid: number;
    readonly pgid?: number;
    readonly startedAt: number;
    readonly stdin: {
        readonly kind: "tty" | "closed" | "pipe" | "file";
        readonly text?: string;
    };
    readonly env: {
        readonly [name: string]: string;
    };
    readonly options: {
        readonly [name: string]: string | true;
    };
    readonly unknownOptions: readonly string[];
    readonly agent: string;
    readonly prompt?: string;
    readonly promptFrom?: "argv" | "stdin";
    readonly key?: {
        readonly from: "env" | "file";
        readonly sha256: string;
    };
    readonly sessionId?: string;
    readonly history?: readonly FakeCodebuffMessage[];
    readonly signals: readonly FakeCodebuffSignal[];
    readonly grandchildren: readonly number[];
    readonly stdoutBroken: boolean;
    readonly end?: FakeCodebuffEnd;
}

export interface FakeCodebuffScenario extends FakeCodebuffSwitches {
    readonly profile?: FakeCodebuffProfile;
    readonly events?: FakeCodebuffScript | FakeCodebuffAnswers;
    readonly exit?: FakeCodebuffExit;
}

export type FakeCodebuffScript = readonly FakeCodebuffStep[];

interface FakeCodebuffSignal {
    readonly signal: string;
    readonly atMs: number;
}

export type FakeCodebuffStep = FakeCodebuffEvent | string | {
    readonly delayMs: number;
} | {
    readonly raw: string;
} | {
    readonly base64: string;
} | {
    readonly json: unknown;
} | {
    readonly stderr: string;
} | {
    readonly hold: string;
};

interface FakeCodebuffSwitches {
    readonly echoPrompt?: boolean;
    readonly askUser?: true | FakeCodebuffQuestion;
    readonly subagents?: number;
    readonly progress?: number;
    readonly download?: "complete" | "failed";
    readonly failWith?: FakeCodebuffFailure;
    readonly failAfterMs?: number;
    readonly chunkBytes?: number;
    readonly gapMs?: number;
    readonly newline?: "\n" | "\r\n" | "none-last";
    readonly bom?: boolean;
    readonly junk?: number;
    readonly hugeLine?: number;
    readonly flood?: number | "endless";
    readonly infinity?: boolean;
    readonly stderr?: readonly FakeCodebuffNoise[];
    readonly stderrFlood?: number;
    readonly errorEventOn?: "stdout" | "stderr";
    readonly traceLines?: boolean;
    readonly noFinish?: boolean;
    readonly dupFinish?: boolean;
    readonly dupStart?: boolean;
    readonly eventsAfterFinish?: boolean | FakeCodebuffScript;
    readonly sessionKey?: string;
    readonly sessionId?: string;
    readonly exitBeforeFlush?: boolean;
    readonly holdPipes?: number;
    readonly closeStdout?: boolean;
    readonly ignoreSigterm?: boolean;
    readonly slowSigterm?: number;
    readonly grandchild?: boolean;
    readonly startDelayMs?: number;
    readonly stallAfter?: number;
    readonly secondMs?: number;
    readonly stdinWaitMs?: number;
    readonly jsonObject?: {
        readonly [field: string]: unknown;
    };
    readonly plain?: boolean;
    readonly quiet?: boolean;
    readonly unknownOption?: "error" | "ignore";
    readonly version?: string;
    readonly requireKey?: boolean;
    readonly credentialsFile?: string;
    readonly continueStore?: string;
    readonly unknownSession?: "newest" | "none";
    readonly recordEnv?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

export type FileContents = {
    readonly [path: string]: string | null;
};

type Fixed = Omit<Capabilities, "reopens" | "cancelOnWire" | "modes" | "models" | "files">;

interface Flow {
    readonly high: number;
    pause(): void;
    resume(): void;
}

export interface FrameRecord<Connection extends ServedConnection> {
    readonly at: number;
    readonly connection: Connection;
    readonly direction: "c2s" | "s2c";
    readonly raw: string;
}

declare class FrameWriter {
    #private;
    constructor(settings: CodebuffMockSettings);
    ack(txid: number | undefined): string;
    nack(txid: unknown, error: string): string;
    initResponse(): string;
    usageResponse(figures: AccountFigures): string;
    action(data: Fields): string;
    actionError({ message, error, remainingBalance }: PromptErrorFields): string;
    chunk(promptId: string, chunk: unknown): string;
    promptResponse(promptId: string, sessionState: unknown, fields?: PromptResponseFields): string;
    promptError(promptId: string, fields: PromptErrorFields): string;
}

declare class Frames {
    #private;
    constructor({ resolved, proof, hot }: ConnectionSetup, user: FramesUser, host: Pick<ConnectionHost, "warn" | "frame">, protocol: Pick<Protocol, "message" | "spoiled">);
    onText(text: string): void;
    onUnreadable(problem: string): void;
}

interface FramesUser {
    alive(): void;
    drop(error: AgentwireError): void;
}

type Free = string | readonly [
    field: string,
    value: string
];

declare class Gate {
    #private;
    constructor(host: GateHost, options: ApprovalOptions, subjects?: SubjectRules);
    get asksUser(): boolean;
    unasked(why: string): string;
    get pending(): readonly PendingRequest[];
    isOpen(id: string): boolean;
    newSession(): void;
    get grants(): readonly Grant[];
    revoke(id: string): boolean;
    idFor(native: string): string;
    ask(asked: ToolCall, { turn, isHandled, isAllowed, source, about, preview, decided }: Asking): Withdraw;
    askQuestion(question: Question, { turn, answered }: {
        readonly turn: AskingTurn | undefined;
        readonly answered: (reply: Reply) => void;
    }): Withdraw;
    get answersQuestions(): boolean;
    decide(id: string, decision: unknown): Ruling;
    answer(id: string, answer: unknown): Reply;
}

interface GateHost {
    readonly outbox: Outbox;
    readonly clock: Clock;
    opened(request: PendingRequest): void;
    settled(request: SettledRequest): void;
    warn(kind: string, message: string, details?: {
        readonly cause?: unknown;
    }): void;
}

type Group = "idRelease" | "sizeLimits" | "heartbeat" | "oddities";

interface Happened {
    readonly ms: number;
    readonly conn: number;
}

interface Hot {
    readonly strings: readonly string[];
    withStrings(strings: readonly string[]): unknown;
}

type HotKind = (frame: unknown) => Hot | undefined;

type InboundFrame = string | Uint8Array;

declare class Inbox<Frame extends string | object> {
    #private;
    constructor(handle: (frame: Frame) => Promise<void>);
    push(frame: Frame): void;
    get hasWaiting(): boolean;
    waiting(): readonly Frame[];
    takeWaiting(): readonly Frame[];
    pause(): void;
    resume(): void;
    end(): void;
}

declare class Interruptible {
    #private;
    constructor(clock: Clock);
    get signal(): AbortSignal;
    get stopped(): boolean;
    stop(): void;
    unlessStopped<T>(value: T | Promise<T>): Promise<T | typeof STOPPED>;
    delay(ms: number): Promise<void>;
    hang(): Promise<void>;
}

declare class InvalidMockInput extends TypeError {
    readonly name = "InvalidInputError [invalid-input]";
    readonly code = "invalid-input";
    readonly retryable = false;
    readonly hint: string;
    constructor(message: string, hint: string, options?: ErrorOptions);
    toJSON(): object;
}

interface Job<Event, Result extends TurnResult> {
    readonly turn: LiveTurn<Event, Result>;
}

declare class Journal<Connection extends ServedConnection, Kind extends string, Frame extends FrameRecord<Connection> = FrameRecord<Connection>, Where extends Connection | undefined = Connection> extends Notes {
    readonly connections: Connection[];
    readonly frames: Frame[];
    readonly violations: ViolationRecord<Where, Kind>[];
}

declare class Keepalive {
    #private;
    cancelVerdict: CancelTimer | undefined;
    constructor(clock: Clock, times: KeepaliveTimes, user: KeepaliveUser);
    alive(): void;
    wasAnsweredWithin(time: number): boolean;
    due(): void;
    pingNow(): void;
    stop(): void;
}

interface KeepaliveTimes {
    readonly interval: number;
    readonly timeout: number;
}

interface KeepaliveUser {
    ping(): boolean;
    excused(): boolean;
    onDead(timeout: number): void;
}

declare class Late<Module> {
    #private;
    constructor(what: string, load: () => Promise<Module>);
    get module(): Module;
    load(): Promise<void> | undefined;
}

declare class Link implements ClientProtocol {
    #private;
    hasForgotten: boolean;
    constructor(backend: MockBackend, core: MockCore);
    serve(user: LinkUser): void;
    get isReady(): boolean;
    back(): Promise<void>;
    lose(loss: MockLoss): void;
    carriesCredentials(): boolean;
    address(url: string): Promise<string>;
    opened(): void;
    ready(): void;
    lost(end: SocketEnd | AgentwireError): AgentwireError;
    busy(): boolean;
    unavailable(reason: AgentwireError): void;
    message(): void;
    spoiled(): void;
    handshakeTimedOut(): void;
    ping(): boolean;
}

interface LinkMistake {
    readonly kind: "subprotocol-requested" | "malformed-frame";
    readonly detail: string;
}

interface LinkOptions {
    readonly outbox: Outbox;
    readonly clock: Clock;
    readonly connectTimeout: number;
    readonly keepalive: KeepaliveTimes;
    readonly reconnect: ReconnectPolicy | undefined;
    readonly maxReceiveBytes: number;
}

interface LinkUser {
    readonly isBusy: boolean;
    pump(): void;
    lost(error: AgentwireError, isFound: boolean): void;
    forgotten(): void;
    unavailable(reason: AgentwireError): void;
}

interface LinkWire {
    write(bytes: Uint8Array): void;
    drip(pace: DripPace | undefined): void;
    linger(): void;
}

interface Listener {
    opened(request: PendingRequest): void;
    changed(call: TurnToolCall): void;
}

declare class LiveTurn<Event, Result extends TurnResult> implements Turn<Event, Result>, AskingTurn {
    #private;
    readonly id: string;
    readonly outcome: Promise<TurnOutcome<Result>>;
    readonly tools: TurnTools;
    constructor(setup: TurnSetup<Event, Result>);
    get status(): TurnStatus;
    get text(): string;
    get toolCalls(): readonly TurnToolCall[];
    get pending(): readonly PendingRequest[];
    get textResult(): Pick<TurnResult, "text" | "truncated">;
    get result(): Promise<Result>;
    get textStream(): AsyncIterable<string>;
    [Symbol.asyncIterator](): AsyncIterator<Event, undefined>;
    cancel(reason?: unknown): Promise<TurnOutcome<Result>>;
    on<Name extends keyof TurnEvents<Event> & string>(name: Name, listener: (...values: TurnEvents<Event>[Name]) => void, options?: ListenOptions): Unsubscribe;
    on<Name extends keyof TurnEvents<AnyEvent>>(name: Name, listener: (...values: TurnEvents<AnyEvent>[Name]) => void, options?: ListenOptions): Unsubscribe;
    get open(): boolean;
    get settled(): boolean;
    joins(conversation: object, completed: (result: Result) => void): void;
    get [ORIGIN](): TurnOrigin;
    begin(): void;
    sent(): void;
    unsent(): void;
    active(): void;
    hold(): () => void;
    push(event: Event, bytes: number): void;
    recovering(): void;
    complete(result: Result): void;
    fail(error: AgentwireError): void;
    abandon(error: AgentwireError): void;
    stopWith(error: AgentwireError): void;
    opened(request: PendingRequest): void;
    observed(question: Question): void;
    closed(id: string): void;
    stopped(): void;
    partial(): TurnPartial;
    leave(): void;
}

interface LogChunkFields {
    readonly agentId: string;
    readonly level: "debug" | "info" | "warn" | "error";
    readonly data: unknown;
    readonly message?: string;
    readonly userInputId?: string;
}

export type MakeEventLog = () => EventLogHandles | Promise<EventLogHandles>;

export type MalformedFrame = "bad-opcode" | "reserved-bits" | "bad-utf8" | "masked" | "stray-continuation" | "fragmented-ping" | "long-ping" | "short-close" | "bad-close-code";

export declare class ManualClock implements Clock {
    #private;
    constructor(options?: {
        readonly random?: number | (() => number);
        readonly epoch?: number;
    });
    now(): number;
    wallTime(): number;
    random(): number;
    setTimeout(callback: () => void, delay: number): CancelTimer;
    get pending(): number;
    get next(): number | undefined;
    advance(ms: number): Promise<void>;
}

export type McpConfig = {
    readonly type?: "stdio";
    readonly command: string;
    readonly args?: readonly string[];
    readonly env?: {
        readonly [name: string]: string;
    };
} | {
    readonly type?: "http" | "sse";
    readonly url: string;
    readonly params?: {
        readonly [name: string]: string;
    };
    readonly headers?: {
        readonly [name: string]: string;
    };
};

export interface McpTool {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: {
        readonly type: "object";
        readonly [key: string]: unknown;
    };
}

interface McpToolData {
    readonly type: "mcp-tool-data";
    readonly requestId: string;
    readonly tools: readonly McpTool[];
}

interface McpToolsRequest extends RequestOptions {
    readonly mcpConfig: McpConfig;
    readonly toolNames?: readonly string[];
}

export declare class MockAcpAgent implements AsyncDisposable {
    #private;
    constructor(options?: MockAcpOptions);
    connect(): MockAcpStreams & {
        readonly link: MockAcpLink;
    };
    program(): Promise<MockAcpProgram>;
    get links(): readonly MockAcpLink[];
    get lines(): readonly MockAcpLine[];
    get received(): readonly ReceivedAcpMessage[];
    get prompts(): readonly ReceivedAcpPrompt[];
    get cancels(): readonly ReceivedAcpCancel[];
    get requests(): readonly MockAcpRequest[];
    get violations(): readonly MockAcpViolation[];
    get answer(): MockAcpAnswer;
    set answer(answer: MockAcpAnswer);
    set(switches: MockAcpSwitches): void;
    waitFor<T>(probe: (agent: this) => T | undefined | false | null): Promise<T>;
    nextLink(): Promise<MockAcpLink>;
    nextPrompt(): Promise<ReceivedAcpPrompt>;
    nextRequest(): Promise<MockAcpRequest>;
    nextCancel(): Promise<ReceivedAcpCancel>;
    gone(pid: number): Promise<void>;
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export type MockAcpAnswer = ((prompt: ReceivedAcpPrompt, context: MockAcpAnswerContext) => MockAcpScript) | readonly MockAcpStep[];

interface MockAcpAnswerContext {
    readonly signal: AbortSignal;
    readonly clock: Clock;
}

export interface MockAcpCall {
    readonly title: string;
    readonly kind?: MockAcpCallKind;
    readonly name?: string;
    readonly toolCallId?: string;
    readonly rawInput?: Dict;
    readonly command?: string;
    readonly diff?: {
        readonly path: string;
        readonly oldText?: string;
        readonly newText: string;
    };
    readonly path?: string;
    readonly content?: readonly Dict[];
    readonly permission?: boolean | readonly MockAcpOption[];
    readonly output?: string;
    readonly pieces?: readonly string[];
    readonly error?: string;
    readonly delay?: number;
    readonly hangs?: boolean;
}

type MockAcpCallKind = "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other";

export interface MockAcpCallOutcome {
    readonly toolCallId: string;
    readonly state: "completed" | "failed" | "rejected";
    readonly optionId?: string;
    readonly output: string;
}

type MockAcpDeath = {
    readonly after: number;
} & MockAcpEnd;

export type MockAcpEnd = {
    readonly exit: number;
} | {
    readonly signal: "SIGKILL" | "SIGTERM" | "SIGSEGV";
} | {
    readonly closeStdout: true;
};

export interface MockAcpLine {
    readonly at: number;
    readonly link: MockAcpLink;
    readonly direction: "in" | "out";
    readonly raw: string;
}

export interface MockAcpLink {
    readonly id: number;
    readonly process: MockAcpProcess | undefined;
    readonly clientCapabilities: Dict;
    readonly clientInfo: Dict;
    readonly sessions: readonly string[];
    readonly inputEnded: boolean;
    readonly ended: MockAcpEnd | "killed" | undefined;
    say(message: Dict): void;
    raw(line: string | Uint8Array): void;
    die(end: MockAcpEnd): void;
}

export interface MockAcpOption {
    readonly optionId: string;
    readonly name: string;
    readonly kind: string;
}

export interface MockAcpOptions extends MockAcpSwitches {
    readonly profile?: MockAcpProfile;
    readonly answer?: MockAcpAnswer;
    readonly clock?: Clock;
    readonly sessionId?: () => string;
    readonly capabilities?: {
        readonly [name: string]: unknown;
    };
}

export interface MockAcpProcess {
    readonly pid: number;
    readonly argv: readonly string[];
    readonly cwd: string;
    readonly env: {
        readonly [name: string]: string;
    };
    readonly children: readonly number[];
    readonly signals: readonly string[];
}

export type MockAcpProfile = "documented" | "gemini" | "claude" | "codex" | "copilot" | "kimi" | "opencode" | "qwen";

export interface MockAcpProgram {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
}

export type MockAcpReply = {
    readonly result: unknown;
} | {
    readonly error: Dict;
};

export interface MockAcpRequest extends Received {
    readonly id: number | string;
    readonly method: string;
    readonly params: Dict;
    readonly reply: MockAcpReply | undefined;
    readonly cancelledFirst: boolean;
}

export type MockAcpScript = StepSource<MockAcpStep, MockAcpStepResult>;

export type MockAcpStep = string | {
    readonly kind: "thought";
    readonly text: string;
} | {
    readonly kind: "chunk";
    readonly content: Dict;
} | {
    readonly kind: "calls";
    readonly calls: readonly MockAcpCall[];
} | {
    readonly kind: "request";
    readonly method: string;
    readonly params: Dict;
} | {
    readonly kind: "ask";
    readonly fields: Dict;
} | {
    readonly kind: "notify";
    readonly method: string;
    readonly params: Dict;
} | {
    readonly kind: "update";
    readonly update: Dict;
} | {
    readonly kind: "notice";
    readonly notice: Dict;
} | {
    readonly kind: "compaction";
    readonly status: string;
    readonly summary: string | undefined;
} | {
    readonly kind: "mode";
    readonly modeId: string;
} | {
    readonly kind: "usage";
    readonly usage: Dict;
} | {
    readonly kind: "fail";
    readonly status: number;
    readonly message: string;
} | {
    readonly kind: "error";
    readonly code: number;
    readonly message: string;
    readonly data: unknown;
} | {
    readonly kind: "stop";
    readonly reason: string;
} | {
    readonly kind: "delay";
    readonly ms: number;
} | {
    readonly kind: "hang";
} | {
    readonly kind: "raw";
    readonly line: string | Uint8Array;
} | {
    readonly kind: "die";
    readonly end: MockAcpEnd;
};

type MockAcpStepResult = readonly MockAcpCallOutcome[] | MockAcpReply | undefined;

export interface MockAcpStreams {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
}

export interface MockAcpSwitches {
    readonly callFirst?: "toolCall" | "permission";
    readonly rawInput?: "full" | "none" | "emptyThenFull" | "inContent";
    readonly modelError?: "rpcError" | "textEndTurn" | "silentEndTurn" | "textAndError" | "httpCode" | "hang";
    readonly secondPrompt?: "queue" | "cancelFirst" | "interleave" | "error" | "silence" | "together" | "failFirst";
    readonly cancel?: "ends" | "needsAnswers" | "ignored" | "slow" | "completes";
    readonly cancelRequest?: "honoured" | "ignored" | "sends";
    readonly afterReject?: "continues" | "endTurn" | "cancelled";
    readonly openCallsAtCancel?: "failed" | "completed" | "left";
    readonly clientFs?: "readWrite" | "writeUnoffered" | "none" | "strictNotFound";
    readonly terminals?: "off" | "client" | "own";
    readonly load?: "replay" | "silent" | "error" | "late";
    readonly options?: "oneEach" | "twoAlways" | "twoOnce" | "noAlways" | "oddIds" | "unknownKind" | "empty";
    readonly askOrder?: "serial" | "parallel" | "reversed";
    readonly stdinEnd?: "exits" | "ignores" | "finishesTurn" | "leavesChild" | "commandInOwnGroup";
    readonly sigterm?: "ends" | "leavesCommand" | "ignored";
    readonly models?: "configOptions" | "legacy" | "both" | "none";
    readonly firstMode?: "default" | "auto";
    readonly auth?: "none" | "atNew" | "atPrompt" | "refuses";
    readonly messageIds?: boolean;
    readonly emptyChunks?: boolean;
    readonly thoughts?: boolean;
    readonly echoPrompt?: boolean;
    readonly stray?: "off" | "beforeInit" | "midTurn" | "halfLine" | "splitUtf8" | "crlf" | "bom";
    readonly unknown?: "off" | "update" | "notification" | "request" | "stopReason" | "field";
    readonly protocolVersion?: 0 | 1 | 2 | "1";
    readonly dieAt?: "off" | MockAcpDeath;
    readonly startDelay?: number;
    readonly chunking?: "whole" | number;
    readonly huge?: boolean | number;
    readonly modeChange?: "off" | "agentDriven";
    readonly usage?: "perTurn" | "cumulative" | "meta" | "none";
}

export interface MockAcpViolation {
    readonly link: MockAcpLink;
    readonly kind: MockAcpViolationKind;
    readonly detail: string;
}

export type MockAcpViolationKind = "invalid-line" | "invalid-message" | "unknown-method" | "invalid-params" | "before-initialize" | "wrong-initialize" | "repeated-id" | "unknown-answer" | "repeated-answer" | "invalid-answer" | "unknown-option" | "unoffered-result" | "authenticate-unasked" | "unknown-session" | "foreign-cwd" | "relative-cwd" | "unknown-choice" | "prompt-mid-turn" | "blank-prompt" | "unsupported-content" | "request-unanswered" | "left-mid-turn";

export declare class MockAgent implements AgentSource<MockAgentClient> {
    #private;
    readonly name: string;
    constructor(options?: MockAgentOptions);
    client(): MockAgentClient;
    toUniversal(of: MockAgentClient | AnyTurn | AnyConversation, options?: UniversalOptions): UniversalStream;
    script(script: MockAgentScript): this;
    set(switches: MockAgentSwitches): void;
    release(gate: string): void;
    disconnect(loss?: MockLoss): void;
    get modes(): MockChoice | undefined;
    get models(): MockChoice | undefined;
    get clients(): readonly MockAgentClient[];
    get attempts(): number;
    get prompts(): readonly MockAgentPrompt[];
    get decisions(): readonly MockAgentDecision[];
    get answers(): readonly MockAgentAnswer[];
    get cancels(): readonly MockAgentCancel[];
    waitFor<T>(probe: (agent: this) => T | undefined | false | null): Promise<T>;
}

export interface MockAgentAnswer extends Reply {
    readonly id: string;
    readonly turnId: string;
}

type MockAgentAnswers = readonly (readonly string[])[] | undefined;

interface MockAgentCancel {
    readonly turnId: string;
    readonly by: "user" | "signal" | "timeout";
}

export declare class MockAgentClient extends BaseClient<MockAgentEvent, MockAgentResult, MockAgentClientEvents> implements AgentClient<MockAgentEvent, MockAgentResult, object, PromptInput> {
    #private;
    constructor(parts: ClientParts);
    get capabilities(): Capabilities;
    prompt(input: string | PromptInput, options?: TurnOptions): MockTurn;
    conversation(options?: {
        readonly from?: ConversationState;
    }): MockConversation;
    files(prefix: string, options?: FilesOptions): Promise<FileList>;
}

export type MockAgentClientEvents = ClientEvents<MockAgentEvent, MockAgentResult>;

interface MockAgentDecision extends Ruling {
    readonly id: string;
    readonly name: string;
    readonly turnId: string;
}

export type MockAgentEvent = {
    readonly type: "text";
    readonly text: string;
    readonly agentId?: string;
} | {
    readonly type: "reasoning";
    readonly text: string;
    readonly agentId?: string;
} | {
    readonly type: "status";
    readonly label: string;
    readonly detail: string | null;
    readonly json?: unknown;
    readonly agentId?: string;
} | {
    readonly type: "tool";
    readonly call: TurnToolCall;
    readonly agentId?: string;
} | {
    readonly type: "question";
    readonly question: Question;
    readonly agentId?: string;
} | MockSubagentEvent | MockFileEvent | {
    readonly type: "image";
    readonly path: string;
    readonly mime: string | null;
    readonly agentId?: string;
} | {
    readonly type: "data";
    readonly data: unknown;
    readonly agentId?: string;
} | {
    readonly type: "problem";
    readonly message: string;
    readonly code: string;
    readonly agentId?: string;
} | {
    readonly type: "finish";
    readonly usage?: Usage;
    readonly cost?: Cost;
};

export interface MockAgentOptions extends MockAgentSwitches {
    readonly name?: string;
    readonly script?: MockAgentScript;
    readonly clock?: Clock;
    readonly capabilities?: Partial<Fixed>;
    readonly modes?: MockChoice;
    readonly models?: MockChoice;
    readonly files?: PromptFiles;
}

export interface MockAgentPrompt {
    readonly n: number;
    readonly text: string;
    readonly images: readonly PromptImage[];
    readonly files: readonly PromptFile[];
    readonly turnId: string;
}

export type MockAgentReply = string | readonly MockAgentStep[];

export type MockAgentResult = TurnResult;

export type MockAgentScript = ((prompt: MockPromptContext) => MockAgentSteps) | readonly MockAgentReply[];

export type MockAgentStep = string | {
    readonly kind: "text" | "reasoning";
    readonly text: string;
    readonly deltas: MockDeltas | undefined;
} | {
    readonly kind: "event";
    readonly event: Exclude<MockAgentEvent, {
        readonly type: "finish";
    }>;
} | MockToolStep | MockQuestionStep | {
    readonly kind: "subagent";
    readonly subagent: MockSubagent;
} | {
    readonly kind: "usage";
    readonly usage?: Usage;
    readonly cost?: Cost;
} | {
    readonly kind: "fail";
    readonly message: string;
    readonly failure: MockFailure;
} | {
    readonly kind: "wait";
    readonly gate: string;
} | {
    readonly kind: "delay";
    readonly ms: number;
} | {
    readonly kind: "lose";
    readonly loss: MockLoss;
} | {
    readonly kind: "hang";
};

export type MockAgentSteps = StepSource<MockAgentStep, MockStepValue>;

export interface MockAgentSwitches {
    readonly deltas?: MockDeltas;
    readonly pace?: number;
    readonly connectDelay?: number;
    readonly refuseConnect?: boolean | number | string;
    readonly reconnect?: MockReconnect | false;
    readonly cancelDelay?: number;
    readonly answersAfterCancel?: boolean;
    readonly approvalTimeout?: number;
    readonly idleTimeout?: number;
    readonly turnsAtOnce?: number;
}

declare class MockBackend {
    #private;
    readonly name: string;
    readonly clock: Clock;
    readonly waiters: Waiters;
    readonly prompts: MockAgentPrompt[];
    readonly decisions: MockAgentDecision[];
    readonly answers: MockAgentAnswer[];
    readonly cancels: MockAgentCancel[];
    script: MockAgentScript;
    attempts: number;
    modes: MockChoice | undefined;
    models: MockChoice | undefined;
    readonly files: PromptFiles | undefined;
    constructor({ name, clock, script, settings, capabilities, modes, models, files }: Resolved);
    get settings(): MockSettings;
    get capabilities(): Capabilities;
    choose(what: "modes" | "models", current: string): void;
    onChoice(listener: (what: "modes" | "models", choice: MockChoice) => void): () => void;
    set(switches: MockAgentSwitches): void;
    tried(): void;
    refuse(): string | undefined;
    newId(what: "turn" | "call" | "question" | "agent"): string;
    gate(name: string): Deferred<void>;
    note<Entry>(list: Entry[], entry: Entry): void;
}

export declare class MockCass extends ProtocolMock<CassConnection, CassViolationKind, CassFrame, CassConnection | undefined> {
    #private;
    constructor(options?: MockCassOptions);
    readonly fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>;
    get received(): readonly CassReceived[];
    get turns(): readonly ReceivedTurn[];
    get auths(): readonly ReceivedAuth[];
    get requests(): readonly CassRequest[];
    get conversations(): readonly CassConversation[];
    get users(): readonly CassUser[];
    get model(): CassModel;
    get answer(): CassAnswer;
    set answer(answer: CassAnswer);
    set(switches: MockCassSwitches): void;
    addUser(user?: Partial<CassUser> & {
        readonly password?: string;
    }): NewCassUser;
    deleteUser(userId: string): void;
    issueToken(userId: string, options?: {
        readonly type?: "access" | "refresh" | "admin";
        readonly lifetime?: number;
    }): string;
    addConversation(conversation?: NewConversation): CassConversation;
    useModel(provider: CassProvider, model?: string): void;
    nextTurn(): Promise<ReceivedTurn>;
    nextAuth(): Promise<ReceivedAuth>;
    nextRequest(): Promise<CassRequest>;
    restart(): void;
    stop(): Promise<void>;
}

export interface MockCassOptions extends MockCassSwitches {
    readonly profile?: "documented" | "v1" | "v2" | "relay";
    readonly answer?: CassAnswer;
    readonly perConnection?: (opening: CassOpening) => MockCassSwitches;
    readonly basePath?: string;
    readonly clock?: Clock;
    readonly epoch?: number;
    readonly utcOffset?: number;
    readonly id?: () => string;
    readonly secret?: string;
    readonly token?: (claims: CassClaims) => string;
    readonly provider?: CassProvider;
    readonly providers?: readonly CassProvider[];
    readonly models?: {
        readonly [provider in CassProvider]?: string;
    };
}

export declare class MockCassServer extends MockCass {
    #private;
    readonly url: string;
    readonly httpUrl: string;
    private constructor();
    static start({ port, ...options }?: MockCassOptions & PortOption): Promise<MockCassServer>;
    get upgrades(): readonly UpgradeAttempt[];
    refuseUpgrades(how: UpgradeRefusal | undefined): void;
    stop(): Promise<void>;
}

export interface MockCassSwitches {
    readonly connected?: "sent" | "none";
    readonly connectedDelay?: number;
    readonly connectedUserId?: "actual" | "foreign" | (string & {}) | null;
    readonly initializing?: boolean;
    readonly sdkMode?: boolean;
    readonly auth?: "checked" | "falseSuccess" | "silence" | "error" | "unknown";
    readonly badAuth?: "error" | "oldIdentity";
    readonly badQueryToken?: "anonymous" | "refused";
    readonly localhostBypass?: boolean;
    readonly localhostUser?: string | null;
    readonly adminTokens?: boolean;
    readonly deletedUser?: boolean;
    readonly rejectRefresh?: false | 401 | 429;
    readonly accessLifetime?: number;
    readonly refreshLifetime?: number;
    readonly withoutConversation?: "new" | "none" | "continuous" | "continuousOrNew";
    readonly emptyMessage?: "model" | "error";
    readonly introWithoutConversation?: "accepted" | "error";
    readonly onboarding?: "answered" | "unknown";
    readonly memories?: "usual" | "none" | Readonly<Record<string, unknown>>;
    readonly memoryCount?: number;
    readonly statusTexts?: CassStatusTexts;
    readonly toolRounds?: number;
    readonly emptyText?: boolean;
    readonly tagLeaks?: boolean;
    readonly unexecutedToolUses?: boolean;
    readonly audio?: "none" | "inline" | "huge" | "malformed" | "url" | "legacy";
    readonly audioUrl?: "relative" | "absolute" | "foreign";
    readonly audioTiming?: "afterResponse" | "late";
    readonly nonFinite?: "none" | "NaN" | "Infinity" | "-Infinity";
    readonly conversationEcho?: "actual" | "missing" | "wrong" | "null";
    readonly title?: "after" | "before" | "none";
    readonly systemFrames?: "after" | "nextTurn" | "none";
    readonly consolidateAfter?: "off" | number;
    readonly consolidation?: "complete" | "deferred" | "failed";
    readonly errorThenResponse?: boolean;
    readonly extraResponse?: "none" | "duplicate" | "unsolicited";
    readonly failure?: CassEnd | "error";
    readonly death?: "off" | CassDeath;
    readonly refuseUpgrade?: false | UpgradeRefusal;
    readonly chunking?: "whole" | "fragmented" | "splitUtf8" | "coalesced";
    readonly unreadFrame?: "queue" | "1011";
    readonly extraFields?: "off" | "injected";
    readonly unknownType?: "off" | "injected";
    readonly nonJson?: "off" | "injected";
    readonly jsonArray?: "off" | "injected";
    readonly binaryFrame?: "off" | "injected";
    readonly ping?: "pong" | "bare" | "ignored";
    readonly pongDelay?: number;
    readonly status?: "answered" | "ignored" | "unknown";
    readonly restLatency?: number;
    readonly restStatus?: {
        readonly [Route in CassRoute]?: number;
    };
    readonly messagesRoute?: boolean;
    readonly persistence?: "beforeResponse" | "late" | "never";
    readonly persistDelay?: number;
    readonly rateLimits?: boolean;
    readonly pipelining?: boolean;
    readonly resends?: boolean;
}

interface MockChoice {
    readonly current: string;
    readonly available: readonly {
        readonly id: string;
        readonly name: string;
        readonly description?: string;
    }[];
}

export declare class MockCodebuff extends ProtocolMock<MockConnection, ViolationKind> {
    #private;
    constructor(options?: MockCodebuffOptions);
    get prompts(): readonly ReceivedPrompt[];
    get answers(): readonly ReceivedAnswer[];
    get cancels(): readonly ReceivedCancel[];
    get answer(): Answer;
    set answer(answer: Answer);
    nextPrompt(): Promise<ReceivedPrompt>;
    shutdown(): void;
}

export declare class MockCodebuffBackend implements AsyncDisposable {
    #private;
    readonly url: string;
    private constructor();
    static start(options?: MockCodebuffBackendOptions & PortOption): Promise<MockCodebuffBackend>;
    get apiKey(): string;
    get answer(): BackendScript;
    set answer(script: BackendScript);
    get scriptExhausted(): boolean;
    get violations(): readonly BackendViolation[];
    requests(filter?: BackendRequestFilter): readonly BackendRequest[];
    runs(): readonly BackendRun[];
    set(switches: MockCodebuffBackendSwitches): void;
    addUser(user?: Partial<BackendUser>): BackendUser;
    removeUser(key: string): void;
    fault(endpoint: BackendEndpoint, fault: BackendFaultOptions): () => void;
    waitFor<T>(probe: (backend: this) => T | undefined | false | null): Promise<T>;
    reset(): void;
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export interface MockCodebuffBackendOptions extends MockCodebuffBackendSwitches {
    readonly answer?: BackendScript;
    readonly users?: readonly Partial<BackendUser>[];
    readonly clock?: Clock;
}

export interface MockCodebuffBackendSwitches {
    readonly profile?: "march" | "july";
    readonly banned?: boolean;
    readonly country?: string | null;
    readonly freeModeGate?: BackendFreeModeGate | null;
    readonly retryAfter?: number;
    readonly quota?: "none" | "weekly" | "session";
    readonly balance?: number;
    readonly noRunId?: boolean;
    readonly finishSlowMs?: number;
    readonly tokenCount?: number | "404" | "bad";
    readonly agents?: Readonly<Record<string, object>>;
    readonly agentsLatestChanges?: boolean;
    readonly webSearch?: (search: BackendWebSearch) => string | null;
    readonly docsSearch?: (search: BackendDocsSearch) => string | null;
    readonly sse?: BackendSse;
    readonly openAiCompatible?: boolean;
    readonly strict?: boolean;
}

export interface MockCodebuffOptions extends MockCodebuffSwitches {
    readonly clock?: Clock;
    readonly answer?: Answer;
}

export declare class MockCodebuffServer extends MockCodebuff {
    #private;
    readonly url: string;
    private constructor();
    static start({ port, ...options }?: MockCodebuffOptions & PortOption): Promise<MockCodebuffServer>;
    get upgrades(): readonly UpgradeAttempt[];
    refuseUpgrades(how: UpgradeRefusal | undefined): void;
    stop(): Promise<void>;
}

export interface MockCodebuffSwitches {
    readonly profile?: "proxy" | "codebuff";
    readonly identify?: "require" | "silent" | "nack";
    readonly duplicateId?: "refuse" | "accept";
    readonly maxConnections?: number;
    readonly idRelease?: {
        readonly idle?: number;
        readonly midPrompt?: number;
    };
    readonly ackOrder?: "before" | "late";
    readonly scheduling?: "fifo" | "concurrent";
    readonly unreadFrame?: "queue" | "1011";
    readonly nulls?: "mixed" | "omit" | "keep";
    readonly balance?: number;
    readonly jsonStyle?: "mixed" | "spaced" | "compact";
    readonly txidChecks?: "coerce" | "any";
    readonly errorTexts?: "python" | "javascript";
    readonly emptyTopics?: "refuse" | "accept";
    readonly sizeLimits?: {
        readonly maxFrameBytes?: number;
        readonly closeAbove?: number;
    } | false;
    readonly binary?: "nack" | "parse";
    readonly heartbeat?: {
        readonly timeout?: number;
        readonly sweep?: number;
        readonly from?: "identify" | "connection";
        readonly refresh?: "ping" | "ping-and-topics";
        readonly end?: "close" | "terminate";
    } | false;
    readonly sessionState?: "echo" | "append" | "new";
    readonly messageOrder?: "history-last" | "history-first";
    readonly chunks?: "text" | "openai-sse" | "repr" | "print-mode";
    readonly usage?: "none" | "around";
    readonly failure?: FailureKind | false;
    readonly auth?: AuthOutcome | ((authToken: string | undefined) => AuthOutcome);
    readonly init?: "respond" | "usage" | "ack-only" | {
        readonly error: string;
    };
    readonly extensions?: "nack" | "accept";
    readonly cancel?: "nack" | "stop" | {
        readonly lateTerminal: number;
    };
    readonly shutdown?: "close" | {
        readonly closeAfter: number;
    };
    readonly closeReply?: boolean;
    readonly oddities?: Oddities;
}

export declare class MockCodey extends ProtocolMock<CodeyConnection, CodeyViolationKind, CodeyFrame> {
    #private;
    constructor(options?: MockCodeyOptions);
    get received(): readonly CodeyReceived[];
    get sends(): readonly ReceivedSend[];
    get decisions(): readonly ReceivedDecision[];
    get cancels(): readonly ReceivedCodeyCancel[];
    get sessions(): {
        readonly live: number;
        readonly leaked: number;
    };
    get answer(): CodeyAnswer;
    set answer(answer: CodeyAnswer);
    set(switches: MockCodeySwitches): void;
    nextSend(): Promise<ReceivedSend>;
    nextDecision(): Promise<ReceivedDecision>;
    nextCancel(): Promise<ReceivedCodeyCancel>;
    stop(): Promise<void>;
}

export interface MockCodeyOptions extends MockCodeySwitches {
    readonly profile?: "real" | "documented";
    readonly clock?: Clock;
    readonly answer?: CodeyAnswer;
    readonly seed?: number | (() => number);
    readonly sessionId?: () => string;
    readonly callId?: (name: string) => string;
    readonly tools?: readonly string[];
}

export declare class MockCodeyServer extends MockCodey {
    #private;
    readonly url: string;
    private constructor();
    static start({ port, ...options }?: MockCodeyOptions & PortOption): Promise<MockCodeyServer>;
    get upgrades(): readonly UpgradeAttempt[];
    refuseUpgrades(how: UpgradeRefusal | undefined): void;
    stop(): Promise<void>;
}

export interface MockCodeySwitches {
    readonly startedAfterApproval?: boolean;
    readonly duplicateBackgroundStarted?: boolean;
    readonly toolDeltas?: "none" | "some";
    readonly backgroundFailure?: "completed" | "error";
    readonly backgroundOrder?: "seeded" | "calls" | "reversed";
    readonly cancelReply?: "none" | "both" | "toolErrors" | "finished";
    readonly cancelReplyTiming?: "beforePong" | "afterPong";
    readonly stalePendingAfterCancel?: boolean;
    readonly stateDetail?: "stub" | "full";
    readonly history?: "empty" | "filled" | "mixedTimestamps";
    readonly errorFatal?: false | "scripted" | true;
    readonly errorEndsTurn?: boolean;
    readonly retrying?: "flood" | "counted";
    readonly invalidInput?: "drop" | "error";
    readonly midTurnSend?: "restart" | "queue";
    readonly unknownTool?: "silence" | "toolError" | "processDeath";
    readonly shellFilter?: "dead" | "works";
    readonly closeReply?: boolean;
    readonly sessionAfterDisconnect?: "leaks" | "ends";
    readonly freezeAfterSessions?: "off" | number;
    readonly frozen?: "off" | "noUpgrade" | "noConnected" | "midSession";
    readonly afterOversize?: "deaf" | "close1009";
    readonly chunking?: "whole" | "fragmented" | "splitUtf8" | "huge";
    readonly lateBackground?: boolean;
    readonly subAgent?: boolean;
    readonly extraFields?: "off" | "injected";
    readonly unknownType?: "off" | "injected";
    readonly badJson?: "off" | "injected";
    readonly binaryJson?: "off" | "injected";
    readonly dropAt?: "off" | {
        readonly after: number;
        readonly code: 1000 | 1001 | 1006 | 1011;
    };
}

export interface MockConnection extends ServedConnection {
    readonly sessionId: string | undefined;
    readonly state: "open" | "identified" | "closed";
    readonly topics: ReadonlySet<string>;
}

interface MockConversation extends Conversation<MockAgentEvent, MockAgentResult, object, PromptInput, MockConversationState>, Pick<AnyConversation, "session" | "onSession" | "open" | "setMode" | "setModel"> {
}

interface MockConversationState extends ConversationState {
    readonly version: 1;
    readonly messages: readonly ConversationMessage[];
}

type MockCore = ClientCore<MockAgentEvent, MockAgentResult, MockAgentClientEvents>;

type MockDeltas = number | "words" | "whole";

interface MockFailure {
    readonly kind?: string;
    readonly retryable?: boolean;
    readonly status?: number;
    readonly retryAfter?: number;
    readonly balance?: number;
}

interface MockFileEvent {
    readonly type: "file";
    readonly path: string;
    readonly action: "read" | "write" | "patch";
    readonly diff: string | null;
    readonly agentId?: string;
}

interface MockHost<Connection extends ServedConnection, Kind extends string, Frame extends FrameRecord<Connection>, Where extends Connection | undefined> {
    readonly journal: Journal<Connection, Kind, Frame, Where>;
    readonly peers: readonly MockPeer[];
    accept(link: PeerLink): SocketPeer;
}

interface MockJob {
    files: readonly PromptFile[];
    readonly reading: AbortController;
    readonly turn: LiveTurn<MockAgentEvent, MockAgentResult>;
    readonly prompt: MockPrompt;
    readonly player: Player;
    cancelStop?: CancelTimer;
}

interface MockLoss {
    readonly message?: string;
    readonly back?: boolean;
    readonly recovers?: boolean;
    readonly forgets?: boolean;
    readonly forGood?: boolean;
}

declare abstract class MockPeer implements ServedConnection, SocketPeer {
    #private;
    readonly id: number;
    readonly faults: ConnectionFaults;
    protected readonly inbox: Inbox<InboundFrame>;
    constructor(id: number, link: PeerLink, host: PeerHost);
    abstract get state(): string;
    abstract get repliesToClose(): boolean;
    abstract get staysWhenMalformed(): boolean;
    abstract receive(frame: InboundFrame): void;
    abstract blame(mistake: LinkMistake): void;
    protected abstract handle(frame: InboundFrame): Promise<void>;
    protected abstract sent(frame: string | Uint8Array): void;
    protected abstract release(end: End): void;
    get closed(): ConnectionClosed | undefined;
    send(frame: string | Uint8Array): void;
    close(code?: number, reason?: string): void;
    drop(): void;
    dropMidFrame(text: string): void;
    pause(): void;
    resume(): void;
    leave(code: number, reason: string): void;
    ended(wasClean: boolean): void;
    protected freeze(): boolean;
    protected read(reading: boolean): void;
    protected keepaliveTimedOut(): void;
    protected get over(): boolean;
    hangUp(): void;
}

interface MockPrompt {
    readonly text: string;
    readonly images: readonly PromptImage[];
    readonly paths: readonly string[];
    readonly remembered: Remembered;
}

interface MockPromptContext extends MockAgentPrompt {
    readonly turn: MockTurn;
    readonly messages: readonly ConversationMessage[];
    readonly signal: AbortSignal;
}

interface MockQuestion {
    readonly questions: readonly (string | (Pick<QuestionItem, "question"> & MockQuestionDetails))[];
    readonly id?: string;
}

interface MockQuestionDetails {
    readonly header?: string;
    readonly options?: readonly (string | QuestionItem["options"][number])[];
    readonly multiSelect?: boolean;
}

interface MockQuestionStep {
    readonly kind: "question";
    readonly items: readonly QuestionItem[];
    readonly id: string | undefined;
    readonly then: ((answers: MockAgentAnswers) => MockAgentSteps) | undefined;
    [Symbol.iterator](): Generator<MockAgentStep, MockAgentAnswers, MockStepValue>;
}

interface MockReconnect {
    readonly maxAttempts?: number;
    readonly delay?: number;
}

interface MockSettings extends Required<Omit<MockAgentSwitches, "reconnect">> {
    readonly reconnect: Required<MockReconnect> | false;
}

type MockStepValue = MockToolOutcome | MockAgentAnswers;

interface MockSubagent {
    readonly type: string;
    readonly name?: string;
    readonly prompt?: string;
    readonly steps: MockAgentSteps;
    readonly fails?: boolean;
}

interface MockSubagentEvent {
    readonly type: "subagent";
    readonly id: string;
    readonly agentType: string;
    readonly name: string;
    readonly prompt?: string;
    readonly state: "running" | "done" | "failed";
    readonly agentId?: string;
}

export interface MockTool {
    readonly name: string;
    readonly input?: unknown;
    readonly id?: string;
    readonly output?: unknown;
    readonly streams?: readonly string[];
    readonly error?: string;
    readonly approval?: boolean;
    readonly grant?: string;
    readonly preview?: readonly ToolPreview[];
    readonly title?: string;
    readonly kind?: ToolKind;
    readonly locations?: readonly ToolLocation[];
    readonly denied?: (reason: string | undefined) => MockAgentSteps;
    readonly during?: readonly MockAgentStep[];
}

interface MockToolOutcome {
    readonly state: "done" | "failed" | "denied";
    readonly reason?: string;
}

interface MockToolStep {
    readonly kind: "tool";
    readonly tool: MockTool;
    [Symbol.iterator](): Generator<MockAgentStep, MockToolOutcome, MockStepValue>;
}

export type MockTurn = Turn<MockAgentEvent, MockAgentResult>;

declare class MockTurns implements Course<MockJob>, LinkUser {
    #private;
    readonly runner: Runner<MockAgentEvent, MockAgentResult, MockJob>;
    age: number;
    constructor(parts: Parts);
    get isBusy(): boolean;
    create(input: unknown, prompt: MockPrompt, options: TurnOptions | undefined): MockJob;
    start(job: MockJob): void;
    pump(): void;
    stop(job: MockJob, again: boolean): void;
    settled(job: MockJob): void;
    lost(error: AgentwireError, isFound: boolean): void;
    forgotten(): void;
    unavailable(reason: AgentwireError): void;
}

export interface NewCassUser extends CassUser {
    readonly password: string;
    readonly accessToken: string;
    readonly refreshToken: string;
}

type NewConversation = Partial<Pick<CassConversation, "title" | "userId" | "projectId" | "continuous">>;

declare class Notes extends Waiters {
    #private;
    get mistake(): InvalidMockInput | undefined;
    threw(error: unknown): void;
    add<T>(list: T[], item: NoInfer<T>): void;
    next<T>(list: readonly T[]): Promise<T>;
}

declare const ORIGIN: unique symbol;

interface Oddities {
    readonly duplicateAcks?: boolean;
    readonly unknownTxids?: boolean;
    readonly unknownMessages?: boolean;
    readonly garbageFrames?: boolean;
    readonly orphanIds?: boolean;
    readonly subAgentIds?: boolean;
    readonly chunkBeforeAck?: boolean;
    readonly stall?: number;
}

interface Origin {
    readonly client: object;
}

declare class Outbox {
    #private;
    enter(): void;
    leave(): void;
    run<T>(input: () => T): T;
    write(write: () => void): void;
    tell(tell: () => void): void;
    now(clock: Clock): number;
    clock(clock: Clock): Clock;
}

interface Parts {
    readonly backend: MockBackend;
    readonly core: MockCore;
    readonly link: Link;
    readonly gate: Gate;
}

interface PeerHost {
    readonly withPort: string;
    readonly clock: Clock;
    readonly journal: {
        changed(): void;
    };
}

interface PeerLink {
    readonly url?: string | undefined;
    send(text: string): void;
    readonly sendBytes?: ((bytes: Uint8Array) => void) | undefined;
    close(code: number, reason: string): void;
    drop(): void;
    dropMidFrame(text: string): void;
    pause?(): void;
    resume?(): void;
    readonly wire?: LinkWire | undefined;
}

export interface PlainStep {
    readonly kind: "plain";
    readonly take: (run: StepRun) => unknown;
}

interface PlannedToolCallRequest extends Pick<RequestOptions, "wait"> {
    readonly toolName: string;
    readonly toolArgs: {
        readonly [key: string]: unknown;
    };
    readonly toolCallId?: string;
}

declare class Player extends ScriptRunner<MockAgentStep, MockStepValue> implements ToolPlaying {
    #private;
    readonly turn: LiveTurn<MockAgentEvent, MockAgentResult>;
    readonly parts: Parts;
    progress: {
        readonly usage?: Usage;
        readonly cost?: Cost;
    };
    constructor(turn: LiveTurn<MockAgentEvent, MockAgentResult>, parts: Parts);
    play(steps: () => MockAgentSteps): Promise<void>;
    steps(steps: MockAgentSteps, agentId: string | undefined): Promise<void>;
    withdraw(...[by, reason]: Parameters<Withdraw>): void;
    wait<Outcome>(ask: (answered: (outcome: Outcome) => void) => Withdraw): Promise<Outcome | undefined>;
    push(event: MockAgentEvent): void;
    change(call: TurnToolCall, agentId: string | undefined): void;
    call(call: TurnToolCall, agentId: string | undefined): Promise<void>;
    nameOf(agentId: string): string;
}

interface PortOption {
    readonly port?: number;
}

export interface PromptData {
    readonly type: "prompt";
    readonly promptId: string;
    readonly fingerprintId: string;
    readonly sessionState: {
        readonly [key: string]: unknown;
    };
    readonly prompt?: string | null;
    readonly content?: readonly {
        readonly [key: string]: unknown;
    }[] | null;
    readonly promptParams?: {
        readonly [key: string]: unknown;
    } | null;
    readonly authToken?: string | null;
    readonly costMode?: string;
    readonly toolResults?: readonly {
        readonly [key: string]: unknown;
    }[];
    readonly model?: string | null;
    readonly repoUrl?: string | null;
    readonly agentId?: string | null;
}

interface PromptErrorFields {
    readonly message: string;
    readonly error?: string | null;
    readonly remainingBalance?: number | null;
}

export interface PromptMessage {
    readonly role: string;
    readonly content: unknown;
}

declare class PromptReply {
    #private;
    readonly sse: SseStream;
    constructor(options: ReplyOptions);
    get figures(): AccountFigures;
    get settled(): boolean;
    cancel(): void;
    end(): void;
    afterword(): void;
    text(text: string): void;
    say(chunk: string | object): void;
    raw(chunk: string, text?: string): void;
    act(data: Readonly<Record<string, unknown>>): void;
    interlude(): void;
    addCost(credits: number, agentId: string | undefined): void;
    respond(fields: PromptResponseFields): void;
    fail(fields: PromptErrorFields): void;
}

interface PromptResponseFields {
    readonly promptId?: string;
    readonly sessionState?: unknown;
    readonly toolCalls?: readonly unknown[] | null;
    readonly toolResults?: readonly unknown[] | null;
    readonly output?: unknown;
}

interface Protocol {
    opened(): void;
    message(value: unknown, text: string): void;
    spoiled(value: unknown, problem: string, text: string): void;
    ready(): void;
    handshakeTimedOut(): void;
    lost(end: SocketEnd | AgentwireError): AgentwireError;
    busy?(): boolean;
    unavailable(reason: AgentwireError): void;
    farewell?(): readonly string[];
    ping(): boolean;
    excused?(): boolean;
}

export declare abstract class ProtocolMock<Connection extends ServedConnection, Kind extends string, Frame extends FrameRecord<Connection> = FrameRecord<Connection>, Where extends Connection | undefined = Connection> implements AsyncDisposable {
    #private;
    protected constructor(host: MockHost<Connection, Kind, Frame, Where>);
    readonly accept: (connection: AcceptedConnection) => void;
    get connections(): readonly Connection[];
    get frames(): readonly Frame[];
    get violations(): readonly ViolationRecord<Where, Kind>[];
    waitFor<T>(probe: (mock: this) => T | undefined | false | null): Promise<T>;
    nextConnection(): Promise<Connection>;
    dropAll(): void;
    closeAll(code?: number, reason?: string): void;
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

interface ProtocolParts<Event, Result extends TurnResult> {
    readonly protocol: ClientProtocol;
    readonly turns: {
        find(id: string): {
            readonly turn: Turn<Event, Result>;
        } | undefined;
        giveBack(): void;
    };
    readonly asked?: {
        readonly gate?: Gate | undefined;
    } | undefined;
}

declare const ROUTES: readonly [
    "POST /auth/register",
    "POST /auth/login",
    "POST /auth/refresh",
    "GET /auth/me",
    "POST /conversations/new",
    "GET /conversations",
    "GET /conversations/continuous",
    "GET /conversations/{id}/messages",
    "GET /conversations/{id}",
    "PUT /conversations/{id}/title",
    "DELETE /conversations/{id}",
    "GET /settings/llm-provider",
    "POST /settings/llm-provider",
    "POST /settings/llm-model",
    "GET /status",
    "GET /gestures/library",
    "GET /audio/{id}.wav"
];

export interface ReadFilesRequest extends RequestOptions {
    readonly name?: "read-files" | "read-files-request";
}

interface ReadFilesResponseData {
    readonly type: "read-files-response";
    readonly requestId?: string;
    readonly files: FileContents;
}

interface Received {
    readonly at: number;
    readonly connection: CodeyConnection;
}

interface Received {
    readonly at: number;
    readonly link: MockAcpLink;
}

export interface ReceivedAcpCancel extends Received {
    readonly sessionId: string;
    readonly stopped: boolean;
}

export interface ReceivedAcpMessage extends Received {
    readonly type: "request" | "notification" | "response";
    readonly method: string | undefined;
    readonly message: Dict;
    readonly response: Dict | undefined;
}

export interface ReceivedAcpPrompt extends Received {
    readonly number: number;
    readonly sessionId: string;
    readonly content: readonly Dict[];
    readonly text: string;
    readonly outcome: string | undefined;
}

interface ReceivedAnswer {
    readonly at: number;
    readonly connection: MockConnection;
    readonly txid: number;
    readonly kind: "tool-call" | "read-files" | "mcp-tools";
    readonly requestId: string | undefined;
    readonly promptId: string | undefined;
    readonly data: AnswerData;
    readonly outcome: "taken" | "repeated" | "late" | "unknown";
}

interface ReceivedAuth {
    readonly at: number;
    readonly connection: CassConnection;
    readonly token: "access" | "refresh" | "admin" | "missing" | "invalid";
    readonly userId: string | null;
    readonly answer: "auth_success" | "auth_error" | "error" | "silence";
}

interface ReceivedCancel {
    readonly at: number;
    readonly connection: MockConnection;
    readonly txid: number;
    readonly promptId: string;
    readonly authToken: string;
    readonly stopped: boolean;
}

interface ReceivedCodeyCancel extends Received {
    readonly stopped: boolean;
}

interface ReceivedDecision extends Received {
    readonly callId: string;
    readonly approved: boolean;
    readonly outcome: "taken" | "stale" | "early" | "repeated" | "late" | "unknown";
}

export interface ReceivedPrompt {
    readonly connection: MockConnection;
    readonly txid: number;
    readonly promptId: string;
    readonly data: PromptData;
    readonly messages: readonly PromptMessage[];
}

interface ReceivedSend extends Received {
    readonly content: string;
    readonly agentId: number | null;
    readonly number: number;
    readonly outcome: "started" | "queued" | "restarted";
}

export interface ReceivedTurn {
    readonly at: number;
    readonly connection: CassConnection;
    readonly kind: "chat" | "intro" | "demo";
    readonly number: number;
    readonly message: string;
    readonly conversationId: string | null;
    readonly userId: string | null;
    readonly image: {
        readonly data: string;
        readonly mediaType: string;
    } | undefined;
    readonly model: CassModel;
    readonly data: Readonly<Record<string, unknown>>;
}

type ReconnectPolicy = Required<Omit<ReconnectOptions, "shouldReconnect">> & Pick<ReconnectOptions, "shouldReconnect">;

interface RecordedClose extends Happened {
    readonly ev: "close";
    readonly code: number;
    readonly reason: string;
    readonly by?: "client" | "server";
}

export type RecordedFrame = FrameRecord<MockConnection>;

interface RecordedMessage extends Happened {
    readonly ev?: never;
    readonly dir: "c2s" | "s2c";
    readonly raw: string;
    readonly binary?: "utf8" | "base64";
}

interface RecordedOpen extends Happened {
    readonly ev: "open";
}

export declare class Recorder implements AsyncDisposable {
    #private;
    constructor(options: RecorderOptions);
    get failure(): Error | undefined;
    readonly createWebSocket: (url: string, init: WebSocketInit) => WebSocketLike;
    wrap<Class extends new (...args: never[]) => TestSocket>(WebSocket: Class): Class;
    watch<Socket extends TestSocket>(socket: Socket): Socket;
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export interface RecorderOptions {
    readonly output: RecordingSink | ((line: string) => unknown);
    readonly secrets?: readonly string[];
    readonly clock?: Clock;
}

export type RecordingLine = RecordedOpen | RecordedMessage | RecordedClose;

export interface RecordingSink {
    write(line: string): unknown;
    end?(): unknown;
}

type RecordingSource = {
    readonly file: string | URL;
} | {
    readonly text: string;
} | {
    readonly lines: readonly string[];
};

declare class Redactor {
    #private;
    add(secret: string | undefined): void;
    use(user: unknown, ...secrets: readonly (string | undefined)[]): void;
    redact(text: string): string;
    redactValue(value: unknown): unknown;
}

interface Remembered {
    readonly messages: readonly ConversationMessage[];
    readonly age: number;
}

interface ReplayedConnection {
    readonly received: readonly string[];
    readonly closed: {
        readonly code: number;
        readonly reason: string;
    } | undefined;
    readonly over: boolean;
}

export declare class Replayer implements AsyncDisposable {
    #private;
    readonly url: string;
    private constructor();
    static start(source: RecordingSource, options?: ReplayerOptions): Promise<Replayer>;
    get connections(): readonly ReplayedConnection[];
    goOn(): void;
    waitFor<T>(probe: (replayer: this) => T | undefined | false | null): Promise<T>;
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export interface ReplayerOptions extends PortOption {
    readonly timing?: "immediate" | "recorded";
    readonly clock?: Clock;
    readonly connections?: readonly number[];
    readonly unsent?: (raw: string) => boolean;
    readonly ignore?: (raw: string) => boolean;
    readonly ids?: readonly string[];
    readonly closedByClient?: (close: RecordedClose) => boolean;
}

interface ReplyOptions {
    readonly prompt: ReceivedPrompt;
    readonly port: RunPort;
    readonly frames: FrameWriter;
    readonly settings: CodebuffMockSettings;
    readonly account: Account;
}

interface RequestOptions {
    readonly requestId?: string;
    readonly wait?: boolean;
}

type RequestResult = ToolOutput | FileContents | readonly McpTool[];

interface RequestStep<Result> {
    readonly kind: "request";
    readonly asked: Asked | string;
    [Symbol.iterator](): Generator<RequestStep<Result>, Result>;
}

export type RequestValue<Options, Result> = Options extends {
    readonly wait: false;
} ? string : Result;

interface Resolved {
    readonly name: string;
    readonly script: MockAgentScript;
    readonly clock: Clock;
    readonly capabilities: Fixed;
    readonly settings: MockSettings;
    readonly modes: MockChoice | undefined;
    readonly models: MockChoice | undefined;
    readonly files: PromptFiles | undefined;
}

interface ResolvedSocketOptions extends TurnLimits, LinkOptions {
}

interface RunPort {
    send(text: string): void;
    close(code: number, reason: string): void;
    drop(): void;
    dropMidFrame(text: string): void;
}

declare class Runner<Event, Result extends TurnResult, J extends Job<Event, Result>> {
    #private;
    constructor(host: RunnerHost<Event, Result>, course: Course<J>);
    get jobs(): readonly J[];
    get isIdle(): boolean;
    find(id: string): J | undefined;
    make(order: TurnOrder<Event, J>, toJob: (turn: J["turn"]) => J): J;
    start(job: J, bytes?: number): void;
    get first(): J | undefined;
    take(job: J): void;
    takeWaiting(): readonly J[];
    giveBack(): void;
    unavailable(reason: AgentwireError): void;
}

interface RunnerHost<Event, Result extends TurnResult> extends TurnHost<Event, Result> {
    readonly limits: TurnLimits;
    readonly closedError: ClosedError | undefined;
    readonly isClosing: boolean;
    tellTurn(turn: Turn<Event, Result>): void;
    wanted(): void;
    needed(): void;
}

declare const STOPPED: unique symbol;

export type Script = StepSource<Step, StepResult>;

declare class ScriptRunner<Step, Value> extends Interruptible {
    follow(script: StepSource<Step, Value | undefined>, take: (step: Step) => Promise<Value> | typeof ENOUGH | undefined): Promise<"ended" | "returned">;
}

export interface ServedConnection {
    readonly id: number;
    readonly state: string;
    readonly closed: ConnectionClosed | undefined;
    send(raw: string | Uint8Array): void;
    close(code?: number, reason?: string): void;
    drop(): void;
    dropMidFrame(text: string): void;
    pause(): void;
    resume(): void;
    readonly faults: ConnectionFaults;
}

interface SocketEnd {
    readonly code: number;
    readonly reason: string;
    readonly cause?: unknown;
}

interface SocketPeer {
    receive(frame: InboundFrame): void;
    leave(code: number, reason: string): void;
    ended(wasClean: boolean): void;
    blame(mistake: LinkMistake): void;
    readonly repliesToClose: boolean;
    readonly staysWhenMalformed: boolean;
}

interface SocketUser {
    onOpen(): void;
    readonly frames: {
        onText(text: string): void;
        onUnreadable(problem: string): void;
    };
    onRefused(cause: unknown): void;
    farewell?(): readonly string[];
    onEnd(end: SocketEnd): void;
}

interface SseErrorFields {
    readonly message: string;
    readonly type?: string;
    readonly status?: number;
    readonly retryable?: boolean;
}

declare class SseStream {
    #private;
    constructor(model: string);
    chunk(text: string): string;
    stop(): string;
    error({ message, type, status, retryable }: SseErrorFields): string;
    done(): string;
}

export type Step = string | PlainStep | ChunkStep | TerminalStep | RequestStep<unknown>;

type StepResult = RequestResult | string | undefined;

interface StepRun {
    readonly prompt: ReceivedPrompt;
    readonly port: RunPort;
    readonly frames: FrameWriter;
    readonly reply: PromptReply;
    delay(ms: number): Promise<undefined>;
    hang(): Promise<undefined>;
}

type StepSource<Step, Value> = Iterable<Step> | AsyncIterable<Step> | Generator<Step, unknown, Value> | AsyncGenerator<Step, unknown, Value>;

interface SubAgentChunkFields {
    readonly agentId: string;
    readonly agentType: string;
    readonly chunk: string;
    readonly prompt?: string;
    readonly forwardToPrompt?: boolean;
    readonly userInputId?: string;
}

type SubAgentStep = string | ChunkStep | TerminalStep;

interface Subject {
    readonly key: string;
    readonly words: string;
}

type SubjectRule = {
    readonly free?: readonly Free[];
    readonly within?: string;
} & ({
    readonly about: "command";
    readonly command: string;
    readonly folder: string;
} | {
    readonly about: "edit";
    readonly path: string;
    readonly deletes?: readonly [
        string,
        string
    ];
} | {
    readonly about: "read";
    readonly paths: string;
} | {
    readonly about: "list" | "search";
    readonly folder: string;
    readonly glob?: string;
} | {
    readonly about: "fetch";
    readonly url: string;
});

type SubjectRules = Readonly<Record<string, SubjectRule>>;

type TerminalStep = {
    readonly kind: "respond";
    readonly fields: PromptResponseFields;
} | {
    readonly kind: "prompt-error";
    readonly fields: PromptErrorFields;
};

export interface TestSocket {
    readonly readyState?: number;
    readonly url?: string | URL;
    addEventListener(type: "open", listener: () => void): void;
    addEventListener(type: "message", listener: (event: {
        readonly data: unknown;
    }) => void): void;
    addEventListener(type: "close", listener: (event: {
        readonly code: number;
        readonly reason: string;
    }) => void): void;
    send(data: string | ArrayBuffer): void;
    close(code?: number, reason?: string): void;
    terminate?(): void;
}

interface ToldEvents<Event, Turn> {
    status: [
        status: ClientStatus
    ];
    reconnecting: [
        backoff: object
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
        turn: Turn
    ];
    event: [
        event: Event,
        turn: Turn
    ];
    approval: [
        call: ToolCall,
        turn?: Turn
    ];
    question: [
        question: Question,
        turn?: Turn
    ];
    settled: [
        request: SettledRequest,
        turn?: Turn
    ];
    message: [
        message: unknown
    ];
    frame: [
        frame: FrameRecord
    ];
}

export interface ToolCallRequest extends RequestOptions {
    readonly toolName: string;
    readonly input: {
        readonly [key: string]: unknown;
    };
    readonly timeout?: number;
    readonly mcpConfig?: McpConfig;
    readonly userInputId?: string;
}

interface ToolCallResponseData {
    readonly type: "tool-call-response";
    readonly requestId: string;
    readonly output: ToolOutput;
}

export type ToolOutput = readonly ToolOutputPart[];

type ToolOutputPart = {
    readonly type: "json";
    readonly value: unknown;
} | {
    readonly type: "media";
    readonly data: string;
    readonly mediaType: string;
};

interface ToolPlaying {
    readonly turn: LiveTurn<MockAgentEvent, MockAgentResult>;
    readonly parts: Parts;
    readonly stopped: boolean;
    steps(steps: MockAgentSteps, agentId: string | undefined): Promise<void>;
    wait<Outcome>(ask: (answered: (outcome: Outcome) => void) => Withdraw): Promise<Outcome | undefined>;
    nameOf(agentId: string): string;
    change(call: TurnToolCall, agentId: string | undefined): void;
    call(call: TurnToolCall, agentId: string | undefined): Promise<void>;
}

interface TurnHost<Event, Result extends TurnResult> {
    readonly outbox: Outbox;
    readonly client: object;
    readonly clock: Clock;
    answeredWithin(time: number): boolean;
    tellEvent(event: Event, turn: Turn<Event, Result>, stands: () => boolean): void;
    listenerThrew(error: unknown, name: string): void;
}

interface TurnLimits {
    readonly maxQueuedTurns: number;
    readonly maxQueuedBytes: number;
    readonly maxBufferedBytes: number;
    readonly maxTextBytes: number;
}

interface TurnOrder<Event, J> {
    readonly id: string;
    readonly input: unknown;
    readonly bytes: number;
    readonly options: TurnOptions | undefined;
    readonly sessionId?: () => string | undefined;
    readonly idleTimeout: number;
    readonly textOf: (event: Event) => string;
    readonly soFar: (job: J) => TurnProgress;
    readonly repeatable?: boolean;
    readonly flow?: {
        readonly high: number;
        pause(job: J): void;
        resume(job: J): void;
    };
}

interface TurnOrigin extends Origin {
    readonly input: unknown;
    readonly said: Pick<TurnOptions, "key" | "branchOf" | "shown">;
    readonly wasSent: boolean;
    readonly sessionId: string | undefined;
    readonly conversation: object | undefined;
}

type TurnProgress = {
    readonly [Field in "usage" | "cost" | "state" | "endedBy"]?: TurnPartial[Field] | undefined;
};

interface TurnSetup<Event, Result extends TurnResult> {
    readonly id: string;
    readonly host: TurnHost<Event, Result>;
    readonly input: unknown;
    readonly said: TurnOrigin["said"];
    readonly maxBufferedBytes: number;
    readonly maxTextBytes: number;
    readonly timeout: number;
    readonly idleTimeout: number;
    readonly signal: AbortSignal | undefined;
    readonly read: boolean;
    readonly textOf: (event: Event) => string;
    readonly sessionId?: (() => string | undefined) | undefined;
    readonly soFar: () => TurnProgress;
    readonly stop: (again: boolean) => void;
    readonly mayHaveArrived?: () => boolean;
    readonly settled: () => void;
    readonly repeatable: boolean;
    readonly flow: Flow | undefined;
}

declare class TurnTools {
    #private;
    constructor(listener: Listener);
    get calls(): readonly TurnToolCall[];
    get pending(): readonly PendingRequest[];
    isPending(request: PendingRequest): boolean;
    stillOpen(type: PendingRequest["type"]): Iterable<readonly [
        ToolCall
    ] | readonly [
        Question
    ]>;
    get(id: string): TurnToolCall | undefined;
    set(call: TurnToolCall): void;
    abandon(): void;
    opened(request: PendingRequest): void;
    closed(id: string): void;
}

export interface UpgradeAttempt {
    readonly at: number;
    readonly url: string;
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
    readonly status: number;
}

export type UpgradeRefusal = number | "never-answered" | "wrong-accept";

export type Violation = ViolationRecord<MockConnection, ViolationKind>;

export type ViolationKind = "first-frame-not-identify" | "frame-before-identify-ack" | "second-identify" | "empty-session-id" | "txid-invalid" | "txid-not-increasing" | "txid-reused" | "txid-restarted" | "null-field" | "missing-field" | "empty-topics" | "binary-frame" | "oversize-frame" | "invalid-json" | "schema-error" | "unknown-message" | "unknown-action" | "answer-unknown-request" | "answer-repeated" | "answer-late" | "answer-incomplete" | "empty-prompt" | "prompt-id-reused" | "frame-mid-prompt" | "left-mid-prompt" | "subprotocol-requested" | "malformed-frame";

interface ViolationRecord<Connection extends ServedConnection | undefined, Kind extends string> {
    readonly connection: Connection;
    readonly kind: Kind;
    readonly detail: string;
}

declare abstract class Voice<Event, Turn, Events extends ToldEvents<Event, Turn> & {
    [Name in keyof Events]: readonly unknown[];
}> {
    #private;
    readonly outbox: Outbox;
    readonly redactor: Redactor;
    readonly events: Emitter<Events>;
    readonly shared: Emitter<ToldEvents<Event, Turn>>;
    client: object;
    constructor(setup: VoiceSetup<Events>);
    abstract readonly pending: readonly PendingRequest[];
    abstract isOpen(id: string): boolean;
    abstract find(turnId: string): Turn | undefined;
    on<Name extends keyof Events & string>(name: Name, listener: (...values: Events[Name]) => void, options?: ListenOptions): Unsubscribe;
    opened(request: PendingRequest): void;
    settled(request: SettledRequest): void;
    tellStatus(status: ClientStatus): void;
    tellTurn(turn: Turn): void;
    tellEvent(event: Event, turn: Turn, stands: () => boolean): void;
    warn(kind: string, message: string, details?: {
        readonly raw?: string;
        readonly cause?: unknown;
        readonly turnId?: string;
    }): void;
    listenerThrew(error: unknown, name: string): void;
    message(value: unknown): void;
    frame(direction: "in" | "out", text: string): void;
    debug(line: string): void;
    log(level: "debug" | "info" | "warn" | "error", line: string): void;
}

interface VoiceSetup<Events> {
    readonly events: EventNames<Events>;
    readonly outbox: Outbox;
    readonly redactor: Redactor;
    readonly logger: Logger | undefined;
    readonly debug: boolean;
}

declare class Waiters {
    #private;
    until<T>(probe: () => T | undefined | false | null): Promise<T>;
    changed(): void;
    end(error: Error): void;
}

type WithResult<Result> = Exclude<MockAcpStep, string> & {
    [Symbol.iterator](): Generator<MockAcpStep, Result, MockAcpStepResult>;
};

type Withdraw = (by: DecidedBy, reason: string) => void;

export declare const acpStep: {
    thought: (text: string) => MockAcpStep;
    chunk: (content: Dict) => MockAcpStep;
    calls: (...calls: readonly MockAcpCall[]) => WithResult<readonly MockAcpCallOutcome[]>;
    request: (method: string, params: Dict) => WithResult<MockAcpReply>;
    read: (path: string, more?: {
        readonly line?: number;
        readonly limit?: number;
    }) => WithResult<MockAcpReply>;
    write: (path: string, content: string) => WithResult<MockAcpReply>;
    ask: (message: string, question: Dict) => WithResult<MockAcpReply | undefined>;
    notify: (method: string, params: Dict) => MockAcpStep;
    update: (update: Dict) => MockAcpStep;
    plan: (...entries: readonly {
        readonly content: string;
        readonly priority?: string;
        readonly status?: string;
    }[]) => MockAcpStep;
    context: (used: number, size: number, cost?: {
        readonly amount: number;
        readonly currency: string;
    }) => MockAcpStep;
    commands: (...names: readonly string[]) => MockAcpStep;
    title: (title: string) => MockAcpStep;
    notice: (title: string, more?: {
        readonly severity?: string;
        readonly description?: string;
    }) => MockAcpStep;
    compaction: (status: "in_progress" | "completed" | "failed", summary?: string) => MockAcpStep;
    mode: (modeId: string) => MockAcpStep;
    usage: (usage: Dict) => MockAcpStep;
    fail: (status?: number, message?: string) => MockAcpStep;
    error: (code: number, message: string, data?: unknown) => MockAcpStep;
    stop: (reason: string) => MockAcpStep;
    delay: (ms: number) => MockAcpStep;
    hang: () => MockAcpStep;
    raw: (line: string | Uint8Array) => MockAcpStep;
    die: (end: MockAcpEnd) => MockAcpStep;
};

export declare const acpTool: {
    shell: (command: string, output?: string, more?: Partial<MockAcpCall>) => MockAcpCall;
    edit: (path: string, newText: string, oldText?: string, more?: Partial<MockAcpCall>) => MockAcpCall;
    read: (path: string, output?: string, more?: Partial<MockAcpCall>) => MockAcpCall;
};

export declare const agentStep: {
    text: (text: string, options?: {
        readonly deltas?: MockDeltas;
    }) => MockAgentStep;
    reasoning: (text: string, options?: {
        readonly deltas?: MockDeltas;
    }) => MockAgentStep;
    status: (label: string, detail?: string | null) => MockAgentStep;
    plan: (entries: readonly PlanEntry[]) => MockAgentStep;
    context: (context: StatusWords["context"]) => MockAgentStep;
    notice: (text: string, severity?: NoticeSeverity) => MockAgentStep;
    compaction: (state: "started" | "completed", summary?: string) => MockAgentStep;
    mode: (choice: TranscriptChoice) => MockAgentStep;
    model: (choice: TranscriptChoice) => MockAgentStep;
    commands: (available: readonly TranscriptCommand[]) => MockAgentStep;
    tool: (tool: MockTool) => MockToolStep;
    question: (question: string | MockQuestion, then?: (answers: MockAgentAnswers) => MockAgentSteps) => MockQuestionStep;
    subagent: (subagent: MockSubagent) => MockAgentStep;
    usage: (usage: Usage) => MockAgentStep;
    cost: (amount: number, unit?: string) => MockAgentStep;
    error: (message: string, code?: string) => MockAgentStep;
    fail: (message: string, failure?: MockFailure) => MockAgentStep;
    file: (path: string, options?: {
        readonly action?: "read" | "write" | "patch";
        readonly diff?: string;
    }) => MockAgentStep;
    image: (path: string, mime?: string | null) => MockAgentStep;
    data: (data: unknown) => MockAgentStep;
    wait: (gate: string) => MockAgentStep;
    delay: (ms: number) => MockAgentStep;
    lose: (loss?: MockLoss) => MockAgentStep;
    forget: (message?: string) => MockAgentStep;
    close: (message?: string) => MockAgentStep;
    hang: () => MockAgentStep;
};

export declare const cassStep: {
    tools: (...tools: readonly (string | CassTool)[]) => CassStep;
    unexecuted: (...tools: readonly (string | CassTool)[]) => CassStep;
    usage: (usage: CassUsage) => CassStep;
    fields: (fields: Readonly<Record<string, unknown>>) => CassStep;
    title: (title: string) => CassStep;
    thinking: (status: string) => CassStep;
    debug: (message: string) => CassStep;
    system: (message: string, status: string) => CassStep;
    say: (message: CassServerFrame) => CassStep;
    fail: (message?: string) => CassStep;
    die: (by: CassEnd | number) => CassStep;
    delay: (ms: number) => CassStep;
    hang: () => CassStep;
    raw: (frame: string | Uint8Array) => CassStep;
    dropMidFrame: (frame?: string) => CassStep;
};

export declare function checkEventLog(makeLog: MakeEventLog, options?: EventLogCheckOptions): Promise<readonly string[]>;

export declare const codeyStep: {
    thinking: (content: string) => CodeyStep;
    calls: (...calls: readonly CodeyCall[]) => CodeyCallsStep;
    usage: (usage: Partial<CodeyUsage>) => CodeyStep;
    error: (message: string, fatal?: boolean) => CodeyStep;
    apiError: (status: number, body: string) => CodeyStep;
    streamEnded: () => CodeyStep;
    misconfigured: (model: string, cause: string) => CodeyStep;
    retrying: (error?: string, options?: {
        readonly times?: number;
    }) => CodeyStep;
    subAgent: (agentId: number, ...texts: readonly string[]) => CodeyStep;
    delay: (ms: number) => CodeyStep;
    hang: () => CodeyStep;
    raw: (frame: string | Uint8Array) => CodeyStep;
    drop: () => CodeyStep;
    dropMidFrame: (frame?: string) => CodeyStep;
    close: (code?: number, reason?: string) => CodeyStep;
};

export declare const codeyTool: {
    shell: (command: string, result?: CodeyCallResult, more?: Partial<CodeyCall>) => CodeyCall;
    readFile: (path: string, result?: CodeyCallResult, more?: Partial<CodeyCall>) => CodeyCall;
};

export declare const eventLogPromises: readonly EventLogPromise[];

export declare function exampleSessionState(fields?: Partial<ExampleSessionState>): ExampleSessionState;

export declare function parseRecording(text: string): readonly RecordingLine[];

export declare const step: {
    action: (data: {
        readonly type: string;
        readonly [key: string]: unknown;
    }) => PlainStep;
    subAgentChunk: (fields: SubAgentChunkFields) => PlainStep;
    log: (fields: LogChunkFields) => PlainStep;
    requestReconnect: () => PlainStep;
    usage(fields?: Partial<AccountFigures>): PlainStep;
    cost: (credits: number, agentId?: string) => PlainStep;
    subAgent: (suffix: string, taken: SubAgentStep) => PlainStep;
    chunk: (chunk: string | object) => ChunkStep;
    sseChunk: (text: string) => PlainStep;
    sseStop: () => PlainStep;
    sseError(error: string | SseErrorFields): PlainStep;
    sseDone: () => PlainStep;
    repr: () => PlainStep;
    delay: (ms: number) => PlainStep;
    raw: (frame: string) => PlainStep;
    respond: (fields?: PromptResponseFields) => TerminalStep;
    promptError: (fields: PromptErrorFields) => TerminalStep;
    failBeforeStream: (cause: string) => TerminalStep;
    failMidStream: (cause: string) => TerminalStep;
    actionError(fields: PromptErrorFields): PlainStep;
    nack: (error: string) => PlainStep;
    silent: () => PlainStep;
    hang: () => PlainStep;
    drop: () => PlainStep;
    dropMidFrame: (frame?: string) => PlainStep;
    close: (code?: number, reason?: string) => PlainStep;
    toolCall<Request extends ToolCallRequest>(request: Request): RequestStep<RequestValue<Request, ToolOutput>>;
    plannedToolCall<Request extends PlannedToolCallRequest>(request: Request): RequestStep<RequestValue<Request, ToolOutput>>;
    readFiles<Request extends ReadFilesRequest>(filePaths: readonly string[], request?: Request): RequestStep<RequestValue<Request, FileContents>>;
    requestMcpTools<Request extends McpToolsRequest>(request: Request): RequestStep<RequestValue<Request, readonly McpTool[]>>;
    answerTo: (requestId: string) => RequestStep<RequestResult>;
};

export declare function toFile(path: string | URL): RecordingSink;

export declare function toStream(stream: Writable): RecordingSink;
