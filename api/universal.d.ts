// agentwire/universal

export {
  AgentSource,
  AnyEvent,
  ToolPreview,
  TurnResult,
} from "agentwire";

export type AgentKey = string | number | undefined;

export type AgentUnparsed = Envelope<"agent.unparsed", UnparsedData>;

export interface Annotation {
    readonly url?: string;
    readonly path?: string;
    readonly title?: string;
    readonly start?: number;
    readonly end?: number;
}

interface ApprovalDetails {
    readonly item_id?: string;
    readonly call_id?: string;
    readonly nativeId?: string | null;
    readonly metadata?: Readonly<Record<string, unknown>>;
}

interface Book {
    readonly sessionId: string;
    readonly sequence: number;
    readonly isOfChat: boolean;
    readonly branches: Transcript["branches"];
    readonly session: Exclude<TranscriptSession, {
        readonly state: "none";
    }>;
    readonly turn: TurnBook | null;
    readonly pending: Dictionary<TranscriptRequest>;
    readonly places: Dictionary<Place>;
    readonly growing: Growing | null;
}

export type CallEnd = Extract<ToolCallState, "done" | "failed" | "denied">;

export interface CallFacts {
    readonly nativeId?: string | undefined;
    readonly agent?: AgentKey;
    readonly facts?: ToolFacts | undefined;
    readonly isUnsettled?: boolean;
    readonly isOwn?: boolean;
    readonly isOnlyAnnounced?: boolean;
    readonly isResultTold?: boolean;
}

export interface CallReport {
    readonly id: string;
    readonly nativeId?: string | null | undefined;
    readonly name: string;
    readonly input: unknown;
    readonly agent?: AgentKey;
    readonly facts?: ToolFacts | undefined;
}

export interface ChatApproval {
    readonly id: string;
    readonly status: PermissionStatus;
    readonly reason?: ResolvedReason;
    readonly scope?: GrantScope;
}

export interface ChatBranches {
    readonly at: number;
    readonly of: number;
    readonly ids: readonly string[];
}

export interface ChatDataPart {
    readonly type: "data";
    readonly id: string;
    readonly json: unknown;
    readonly extra?: true;
}

export interface ChatErrorPart extends Pick<ErrorData, "message" | "code"> {
    readonly type: "error";
    readonly id: string;
}

export interface ChatFilePart {
    readonly type: "file";
    readonly id: string;
    readonly path: string;
    readonly mediaType: string | null;
    readonly action?: "read" | "write" | "patch";
    readonly diff?: string;
}

export interface ChatMessage extends Pick<TurnEndMetadata, "usage" | "cost" | "model"> {
    readonly id: string;
    readonly role: "user" | "assistant" | "system";
    readonly turnId?: string;
    readonly status: "queued" | "sent" | "open" | "recovering" | "completed" | "cancelled" | "failed";
    readonly parts: List<ChatPart>;
    readonly branches?: ChatBranches;
    readonly error?: ErrorDescription;
    readonly startedAt: number;
    readonly endedAt?: number;
}

export type ChatPart = ChatTextPart | ChatReasoningPart | ChatToolPart | ChatQuestionPart | ChatFilePart | ChatStatusPart | ChatSubagentPart | ChatDataPart | ChatErrorPart;

export interface ChatQuestionPart extends Pick<QuestionData, "status" | "reason">, Required<Pick<QuestionData, "questions" | "answers">> {
    readonly type: "question";
    readonly id: string;
}

export interface ChatReasoningPart extends ReasoningPart {
    readonly id: string;
    readonly open: boolean;
}

export interface ChatStatusPart extends StatusPart {
    readonly id: string;
    readonly json?: unknown;
    readonly severity?: NoticeSeverity;
    readonly failed?: true;
}

export interface ChatSubagentPart {
    readonly type: "subagent";
    readonly id: string;
    readonly agentType: string;
    readonly name: string;
    readonly prompt?: string;
    readonly state: "running" | "done" | "failed";
    readonly parts: List<ChatPart>;
}

export interface ChatTextPart extends TextPart {
    readonly id: string;
    readonly open: boolean;
}

export interface ChatToolPart extends Pick<ToolCallPart, "name" | "title" | "locations"> {
    readonly type: "tool";
    readonly id: string;
    readonly callId: string;
    readonly input: unknown;
    readonly state: ToolCallState;
    readonly kind?: ToolKind;
    readonly approval?: ChatApproval;
    readonly preview?: readonly ToolPreview[];
    readonly output: string;
    readonly content: readonly ContentPart[];
}

export interface ChatTotals {
    readonly usage: UniversalUsage;
    readonly cost: readonly UniversalCost[];
}

export interface CheckTranscriptOptions {
    readonly live?: boolean;
}

export interface CloseTranscriptOptions {
    readonly time: string;
    readonly error: Pick<ErrorData, "message" | "code">;
}

export interface CompletedFacts {
    readonly metadata: Omit<TurnEndMetadata, "status">;
    readonly stated?: Stated;
    readonly raw?: Json | undefined;
}

export type ContentPart = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | FileRefPart | ImagePart | JsonPart | StatusPart;

export type DataOf<Type extends UniversalEventType> = Extract<UniversalEvent, {
    readonly type: Type;
}>["data"];

export interface DeltaPart {
    readonly type: "text" | "reasoning" | "tool_arguments" | "tool_output";
    readonly visibility?: Visibility;
}

export type DescribeErrorData = (error: ErrorData) => ErrorDescription;

export interface Dictionary<T> extends Iterable<T> {
    readonly size: number;
    get(key: string): T | undefined;
    with(key: string, value: T): Dictionary<T>;
    without(key: string): Dictionary<T>;
    toArray(): readonly T[];
    toJSON(): readonly T[];
}

export interface Envelope<Type extends string, Data> {
    readonly event_id: string;
    readonly sequence: number;
    readonly time: string;
    readonly session_id: string;
    readonly native_session_id: string | null;
    readonly synthetic: boolean;
    readonly source: EventOrigin;
    readonly type: Type;
    readonly data: Data;
    readonly raw: Json | null;
}

declare class Envelopes {
    #private;
    nativeSessionId: string | null;
    raw: Json | null;
    constructor(setup: Omit<SessionSetup, "visibility">);
    get sessionId(): string;
    begin(): void;
    emit<Type extends UniversalEventType>(type: Type, data: DataOf<Type>, stated: Stated): void;
}

export interface ErrorData {
    readonly message: string;
    readonly code: string | null;
    readonly details: Json | null;
    readonly fatal?: boolean;
    readonly retryable?: boolean;
    readonly turn_id?: string;
}

export type ErrorEvent = Envelope<"error", ErrorData>;

export type EventListener = (event: UniversalEvent, position?: string) => void;

export type EventOrigin = "agent" | "daemon";

export type Fact<Event extends AnyEvent = AnyEvent, Result extends TurnResult = TurnResult> = {
    readonly type: "opened";
    readonly nativeSessionId?: string | undefined;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly isNative: boolean;
} | {
    readonly type: "sent";
    readonly turnId: string;
    readonly input: UserInput;
    readonly metadata?: Readonly<Record<string, unknown>>;
} | {
    readonly type: "event";
    readonly turnId: string;
    readonly event: Event;
} | {
    readonly type: "stray";
    readonly event: Event;
} | {
    readonly type: "call";
    readonly turnId: string | undefined;
    readonly call: TurnToolCall;
} | {
    readonly type: "asked";
    readonly turnId: string | undefined;
    readonly request: PendingRequest;
} | {
    readonly type: "settled";
    readonly turnId: string | undefined;
    readonly request: SettledRequest;
} | {
    readonly type: "recovering";
    readonly turnId: string;
} | {
    readonly type: "ended";
    readonly turnId: string;
    readonly end: TurnEnd<Result>;
    readonly input?: UserInput;
    readonly metadata?: Readonly<Record<string, unknown>>;
} | {
    readonly type: "notice";
    readonly name: string;
    readonly value: unknown;
} | {
    readonly type: "warning";
    readonly warning: ProtocolWarning;
} | {
    readonly type: "disconnected";
    readonly error: AnyAgentwireError;
} | {
    readonly type: "retrying";
    readonly attempt: number;
    readonly delay: number;
    readonly error?: AnyAgentwireError;
} | {
    readonly type: "reconnected";
} | {
    readonly type: "quiet";
} | {
    readonly type: "lost";
    readonly error: AnyAgentwireError;
} | {
    readonly type: "missed";
    readonly turnId: string;
    readonly text: string;
    readonly calls: readonly TurnToolCall[];
} | {
    readonly type: "done";
    readonly data: SessionEndedData;
} | {
    readonly type: "closed";
};

export interface FailedFacts extends Partial<CompletedFacts> {
    readonly reason: string;
    readonly isBare?: boolean;
    readonly details?: Readonly<Record<string, Json>>;
    readonly data?: Partial<Pick<ErrorData, "message" | "fatal" | "retryable">>;
    readonly session?: SessionEndedData;
}

export interface FileRefPart {
    readonly type: "file_ref";
    readonly path: string;
    readonly action: "read" | "write" | "patch";
    readonly diff: string | null;
}

interface Growing {
    readonly itemId: string;
    readonly type: "text" | "reasoning";
    readonly spot: Spot;
}

interface Home {
    readonly message: number;
    readonly path: readonly number[];
}

export interface ImagePart {
    readonly type: "image";
    readonly path: string;
    readonly mime: string | null;
}

export type Invariant = "shape" | `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}` | "grammar";

export type ItemCompleted = Envelope<"item.completed", ItemData>;

export interface ItemData {
    readonly item: UniversalItem;
    readonly state?: ToolCallState;
}

export type ItemDelta = Envelope<"item.delta", ItemDeltaData>;

export interface ItemDeltaData {
    readonly item_id: string;
    readonly native_item_id: string | null;
    readonly delta: string;
    readonly part?: DeltaPart;
}

export type ItemKind = "message" | "tool_call" | "tool_result" | "system" | "status" | "unknown";

export type ItemRole = "user" | "assistant" | "system" | "tool";

export type ItemStarted = Envelope<"item.started", ItemData>;

export type ItemStatus = "in_progress" | "completed" | "failed";

export type Json = unknown;

export interface JsonPart {
    readonly type: "json";
    readonly json: Json;
}

export interface JsonlContent extends JsonlEnd {
    readonly events: readonly UniversalEvent[];
    readonly problems: readonly JsonlProblem[];
    readonly dropped: number;
}

export interface JsonlEnd {
    readonly complete: boolean;
    readonly end: number;
    readonly separator: "" | "\n";
}

export interface JsonlProblem {
    readonly line: number;
    readonly message: string;
}

export declare class JsonlReader {
    #private;
    constructor(options?: JsonlReaderOptions);
    get problems(): readonly JsonlProblem[];
    get dropped(): number;
    push(piece: string | Uint8Array): readonly UniversalEvent[];
    end(): JsonlEnd & {
        readonly events: readonly UniversalEvent[];
    };
}

export interface JsonlReaderOptions {
    readonly maxLineLength?: number;
}

export interface List<T> extends Iterable<T> {
    readonly length: number;
    at(index: number): T | undefined;
    map<U>(change: (value: T, index: number) => U): U[];
    toArray(): readonly T[];
    toJSON(): readonly T[];
}

export interface Mapping<Event extends AnyEvent = AnyEvent, Result extends TurnResult = TurnResult> {
    readonly protocol: string;
    readonly asksOnWire: boolean;
    readonly confirmsDenials?: boolean;
    readonly errorPrefix: string;
    readonly timeoutCancels?: boolean;
    opens?(event: Event, session: Session): SessionFacts | undefined;
    event(event: Event, session: Session): void;
    stray?(event: Event, session: Session): void;
    rawOf?(event: Event): Json | null;
    rawOfNotice?(name: string, value: unknown): Json | null;
    notice?(name: string, value: unknown, session: Session): void;
    began?(turnId: string): void;
    missed?(text: string, session: Session): void;
    call?(call: TurnToolCall): CallFacts;
    output?(call: TurnToolCall): ToolOutputContent;
    approval?(call: ToolCall): Readonly<Record<string, unknown>>;
    callOf?(question: Question): string | undefined;
    completed(result: Result, session: Session): CompletedFacts;
    failed?(error: AnyAgentwireError, session: Session): FailedFacts | undefined;
    lost?(error: AnyAgentwireError, isFinal: boolean): Omit<ErrorData, "turn_id"> | undefined;
}

export declare class Normaliser<Event extends AnyEvent = AnyEvent, Result extends TurnResult = TurnResult> {
    #private;
    constructor(mapping: Mapping<Event, Result>, options: NormaliserOptions, emit?: (event: UniversalEvent) => void);
    get isEnded(): boolean;
    get isUnsolicited(): boolean;
    push(fact: Fact<Event, Result>): readonly UniversalEvent[];
    handle(fact: Fact<Event, Result>): void;
}

export interface NormaliserOptions extends Pick<UniversalOptions, "includeRaw" | "eagerStart" | "reasoningVisibility"> {
    readonly sessionId: string;
    readonly wallTime: () => number;
    readonly metadata?: Readonly<Record<string, unknown>>;
}

export type NoticeSeverity = "info" | "warning" | "error";

export interface OpenTurn {
    readonly id: string;
    readonly metadata: TurnStartMetadata | null;
    readonly startedAt: number;
}

export interface PermissionData {
    readonly permission_id: string;
    readonly action: string;
    readonly status: PermissionStatus;
    readonly metadata: Json | null;
    readonly item_id?: string;
    readonly call_id?: string;
    readonly reason?: ResolvedReason;
    readonly state?: ToolCallState;
    readonly scope?: GrantScope;
    readonly preview?: readonly ToolPreview[];
}

export type PermissionRequested = Envelope<"permission.requested", PermissionData>;

export type PermissionResolved = Envelope<"permission.resolved", PermissionData>;

export type PermissionStatus = "requested" | "accept" | "accept_for_session" | "reject";

type Place = {
    readonly kind: "user";
    readonly message: number;
} | {
    readonly kind: "content";
    readonly home: Home;
    readonly parts: readonly number[];
    readonly isOpen: boolean;
} | {
    readonly kind: "agent" | "status";
    readonly spot: Spot;
} | {
    readonly kind: "permission" | "question";
    readonly spot: Spot;
    readonly waits: string;
} | {
    readonly kind: "call";
    readonly spot: Spot;
    readonly text: string | null;
} | {
    readonly kind: "result";
    readonly spot: Spot;
    readonly isOpen: boolean;
};

export interface PlanEntry {
    readonly content: string;
    readonly status: "pending" | "in_progress" | "completed";
    readonly priority?: "high" | "medium" | "low";
}

export interface QuestionData {
    readonly question_id: string;
    readonly prompt: string;
    readonly options: readonly string[];
    readonly response: string | null;
    readonly status: "requested" | "answered" | "rejected";
    readonly questions?: readonly UniversalQuestion[];
    readonly answers?: readonly UniversalAnswer[];
    readonly metadata?: Json | null;
    readonly call_id?: string;
    readonly reason?: ResolvedReason;
}

export type QuestionRequested = Envelope<"question.requested", QuestionData>;

export type QuestionResolved = Envelope<"question.resolved", QuestionData>;

export interface ReasoningPart {
    readonly type: "reasoning";
    readonly text: string;
    readonly visibility: Visibility;
}

export interface ReplayOptions {
    readonly after?: number;
    readonly signal?: AbortSignal;
}

declare class Requests {
    #private;
    constructor(envelopes: Envelopes);
    get hasOpen(): boolean;
    wasTold(id: string): boolean;
    permission(call: ToolCall, { metadata, nativeId, ...details }: ApprovalDetails, stated: Stated): void;
    decided(id: string, { decision, scope, tool }: Omit<Ruling, "by">, reason: ResolvedReason): void;
    decidedFor(callId: string, decision: Ruling["decision"]): void;
    question({ id, questions }: Question, { call_id, nativeId }: Pick<ApprovalDetails, "call_id" | "nativeId">, stated: Stated): void;
    answered(id: string, answers: Answers, reason: ResolvedReason, stated: Stated): void;
    refuseAll(reason: ResolvedReason): void;
}

export type ResetListener = (saved?: unknown) => void;

export type ResolvedReason = "user" | "policy" | "cancelled" | "disconnected" | "timeout";

export declare class Session {
    #private;
    readonly requests: Requests;
    late: number;
    constructor(setup: SessionSetup);
    get isEnded(): boolean;
    get isOpen(): boolean;
    get hasTurn(): boolean;
    get nativeTurnId(): string | undefined;
    get nativeSessionId(): string | null;
    get isUnsolicited(): boolean;
    input(raw: Json | null): void;
    open(metadata: Readonly<Record<string, unknown>>, stated: Stated): void;
    known(nativeSessionId: string | undefined): void;
    close(data: SessionEndedData): void;
    begin(nativeId: string | undefined, metadata: TurnStartMetadata): void;
    end({ metadata, stated, reason, error }: TurnClose): void;
    user({ text, images, files }: UserInput): void;
    text(agent: AgentKey, delta: string, stated?: Stated): void;
    chunk(agent: AgentKey, delta: string, stated?: Stated): void;
    reasoning(agent: AgentKey, delta: string, stated?: Stated): void;
    pause(agent: AgentKey, stated?: Stated): void;
    pauseAll(): void;
    answer(text: string, parts: readonly ContentPart[], stated: Stated): string;
    status(label: string, detail: string | null, { json, stated, status, agent }?: StatusDetails): void;
    beside(label: string, detail: string | null, json?: Json): void;
    system(text: string, stated?: Stated): void;
    message(content: readonly ContentPart[], parentId: string | null, stated?: Stated): void;
    unknown(json: Json, stated?: Stated): void;
    error(error: Omit<ErrorData, "turn_id">, stated?: Stated): void;
    unparsed(error: string, location: string): void;
    startSubagent(start: SubagentStart, stated?: Stated): void;
    finishSubagent(key: AgentKey, stated?: Stated): void;
    isSubagent(key: AgentKey): boolean;
    call(report: CallReport, stated?: Stated): void;
    holdCall(report: CallReport): void;
    callInput(report: CallReport, delta: string | null): void;
    ownCall(report: CallReport, stated?: Stated): void;
    hasCall(id: string): boolean;
    decidedElsewhere(id: string, decision: Ruling["decision"]): void;
    startCall(id: string, stated?: Stated): void;
    callOutput(id: string, delta: string, stated?: Stated): void;
    endCall(id: string, content: ToolOutputContent, state: CallEnd, stated?: Stated, name?: string): void;
    deniedCall(id: string, content: ToolOutputContent): void;
    permission(call: ToolCall, metadata: ApprovalDetails["metadata"], stated: Stated): void;
    decided(id: string, ruling: Omit<Ruling, "by">, reason: ResolvedReason): void;
    question(question: Question, callId: string | undefined, stated: Stated): void;
    answered(id: string, answers: Answers, reason: ResolvedReason, stated: Stated): void;
}

export type SessionEnded = Envelope<"session.ended", SessionEndedData>;

export interface SessionEndedData {
    readonly reason: "completed" | "error" | "terminated";
    readonly terminated_by: EventOrigin;
    readonly message?: string;
    readonly exit_code?: number;
    readonly stderr?: UniversalStderr;
    readonly metadata?: Json;
}

export interface SessionFacts {
    readonly nativeSessionId?: string | undefined;
    readonly metadata: Readonly<Record<string, unknown>>;
}

interface SessionSetup {
    readonly sessionId: string;
    readonly wallTime: () => number;
    readonly visibility: Visibility;
    readonly emit: (event: UniversalEvent) => void;
}

export type SessionStarted = Envelope<"session.started", SessionStartedData>;

export interface SessionStartedData {
    readonly metadata: Json | null;
}

export interface SourceSetup<Client extends AnyAgentClient & Telling> {
    readonly name: string;
    readonly hasInbox?: boolean;
    readonly connect: () => Client;
}

interface Spot extends Home {
    readonly index: number;
}

export type Stated = EventOrigin | "inferred";

export interface StatusDetails {
    readonly json?: Json;
    readonly stated?: Stated;
    readonly status?: "completed" | "failed";
    readonly agent?: AgentKey;
}

export interface StatusPart {
    readonly type: "status";
    readonly label: string;
    readonly detail: string | null;
}

export interface StatusWords {
    readonly plan: {
        readonly entries: readonly PlanEntry[];
    };
    readonly context: TranscriptContext & {
        readonly cost?: UniversalCost;
    };
    readonly notice: {
        readonly severity: NoticeSeverity;
    };
    readonly compaction: {
        readonly state: "started" | "completed";
        readonly summary?: string;
    };
    readonly mode: TranscriptChoice;
    readonly model: TranscriptChoice;
    readonly commands: {
        readonly available: readonly TranscriptCommand[];
    };
}

export interface SubagentStart {
    readonly key: AgentKey;
    readonly agentType: string;
    readonly name?: string | undefined;
    readonly parent?: AgentKey;
    readonly json?: {
        readonly prompt?: string;
        readonly [name: string]: Json;
    };
    readonly nativeId?: string | undefined;
}

export interface Telling {
    universal(options?: UniversalOptions): UniversalStream;
}

export interface TextPart {
    readonly type: "text";
    readonly text: string;
    readonly annotations?: readonly Annotation[];
}

export interface ToolCallPart {
    readonly type: "tool_call";
    readonly name: string;
    readonly arguments: string;
    readonly call_id: string;
    readonly title?: string;
    readonly tool_kind?: ToolKind;
    readonly locations?: readonly ToolLocation[];
}

export type ToolFacts = Pick<ToolCallPart, "title" | "tool_kind" | "locations">;

export type ToolKind = "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "other";

export interface ToolLocation {
    readonly path: string;
    readonly line?: number;
}

export interface ToolOutputContent {
    readonly output: string;
    readonly parts: readonly ContentPart[];
}

export interface ToolResultPart {
    readonly type: "tool_result";
    readonly call_id: string;
    readonly output: string;
}

export interface Transcript {
    readonly messages: List<ChatMessage>;
    readonly branches: Dictionary<List<ChatMessage>>;
    readonly session: TranscriptSession;
    readonly turn: OpenTurn | null;
    readonly pending: Dictionary<TranscriptRequest>;
    readonly sequence: number;
    readonly hasGap: boolean;
    readonly usage: UniversalUsage;
    readonly cost: readonly UniversalCost[];
    readonly plan: readonly PlanEntry[] | null;
    readonly context: TranscriptContext | null;
    readonly modes: TranscriptChoice | null;
    readonly models: TranscriptChoice | null;
    readonly commands: readonly TranscriptCommand[] | null;
    readonly book: Book | null;
    readonly earlier: Dictionary<Book>;
}

export declare class TranscriptChecker {
    #private;
    push(event: unknown): readonly TranscriptProblem[];
    end(): readonly TranscriptProblem[];
}

export interface TranscriptChoice {
    readonly current: string | null;
    readonly available: readonly {
        readonly id: string;
        readonly name: string;
        readonly description?: string;
    }[];
}

export interface TranscriptCommand {
    readonly name: string;
    readonly description: string;
    readonly hint?: string;
}

export interface TranscriptContext {
    readonly used: number;
    readonly size?: number;
}

export interface TranscriptProblem {
    readonly index: number;
    readonly event_id: string | undefined;
    readonly invariant: Invariant;
    readonly message: string;
}

export type TranscriptRequest = {
    readonly type: "approval";
    readonly id: string;
    readonly tool: string;
    readonly input: unknown;
    readonly preview?: readonly ToolPreview[];
    readonly grant?: string;
    readonly agent?: string;
} | {
    readonly type: "question";
    readonly id: string;
    readonly questions: readonly UniversalQuestion[];
};

export type TranscriptSession = {
    readonly state: "none";
} | (TranscriptSessionFacts & {
    readonly state: "open";
}) | (TranscriptSessionFacts & {
    readonly state: "ended";
    readonly ended: SessionEndedData;
});

export interface TranscriptSessionFacts {
    readonly id: string;
    readonly nativeId: string | null;
    readonly metadata: Json | null;
}

interface TurnBook {
    readonly open: OpenTurn;
    readonly prompt: number | null;
    readonly message: number | null;
    readonly isMoved: boolean;
    readonly replaces: string | null;
    readonly isAnew: boolean;
    readonly unfinished: Dictionary<Spot>;
    readonly error: {
        readonly data: ErrorData;
        readonly part: string;
    } | null;
}

export interface TurnClose {
    readonly metadata: TurnEndMetadata;
    readonly stated: Stated;
    readonly reason: ResolvedReason;
    readonly error?: Omit<ErrorData, "turn_id"> | undefined;
    readonly session?: SessionEndedData;
    readonly raw?: Json | undefined;
}

export type TurnEnd<Result extends TurnResult = TurnResult> = TurnOutcome<Result>;

export interface TurnEndMetadata {
    readonly status: "completed" | "failed" | "cancelled";
    readonly stop_reason?: string;
    readonly usage?: UniversalUsage;
    readonly cost?: UniversalCost;
    readonly model?: string;
    readonly [name: string]: Json;
}

export type TurnEnded = Envelope<"turn.ended", TurnEndedData>;

export interface TurnEndedData {
    readonly phase: "ended";
    readonly turn_id: string;
    readonly metadata: TurnEndMetadata;
}

export interface TurnStartMetadata {
    readonly native_turn_id?: string;
    readonly unsolicited?: true;
    readonly prompt_id?: string;
    readonly branch_of?: string;
    readonly [name: string]: Json;
}

export type TurnStarted = Envelope<"turn.started", TurnStartedData>;

export interface TurnStartedData {
    readonly phase: "started";
    readonly turn_id: string;
    readonly metadata?: TurnStartMetadata;
}

export declare const UNIVERSAL_EVENT_TYPES: readonly [
    "session.started",
    "session.ended",
    "turn.started",
    "turn.ended",
    "item.started",
    "item.delta",
    "item.completed",
    "permission.requested",
    "permission.resolved",
    "question.requested",
    "question.resolved",
    "error",
    "agent.unparsed"
];

export declare const UNIVERSAL_SCHEMA = "universal@2026-02+ext";

export interface UniversalAnswer {
    readonly question_index: number;
    readonly selected?: readonly string[];
    readonly other_text?: string;
}

export interface UniversalCost {
    readonly total: number;
    readonly currency: string;
}

export type UniversalEvent = SessionStarted | SessionEnded | TurnStarted | TurnEnded | ItemStarted | ItemCompleted | ItemDelta | PermissionRequested | PermissionResolved | QuestionRequested | QuestionResolved | ErrorEvent | AgentUnparsed;

export type UniversalEventType = UniversalEvent["type"];

export interface UniversalItem {
    readonly item_id: string;
    readonly native_item_id: string | null;
    readonly parent_id: string | null;
    readonly kind: ItemKind;
    readonly role: ItemRole | null;
    readonly content: readonly ContentPart[];
    readonly status: ItemStatus;
}

export interface UniversalOptions {
    readonly includeRaw?: boolean;
    readonly eagerStart?: boolean;
    readonly reasoningVisibility?: Visibility;
    readonly maxLogBytes?: number;
    readonly newSessionId?: () => string;
    readonly clock?: Pick<Clock, "wallTime" | "setTimeout">;
}

export interface UniversalQuestion {
    readonly question: string;
    readonly header?: string;
    readonly options: readonly {
        readonly label: string;
        readonly description?: string;
    }[];
    readonly multi_select: boolean;
}

export interface UniversalStderr {
    readonly head?: string;
    readonly tail?: string;
    readonly truncated: boolean;
    readonly total_lines?: number;
}

export interface UniversalStream extends AsyncIterable<UniversalEvent> {
    readonly count: number;
    readonly ended: boolean;
    readonly caughtUp?: Promise<void>;
    events(options?: ReplayOptions): AsyncIterable<UniversalEvent>;
    on(name: "event", listener: EventListener, options?: ListenOptions): Unsubscribe;
    readonly onReset?: (listener: ResetListener) => Unsubscribe;
    close(): void;
}

export interface UniversalUsage {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly total_output_tokens?: number;
    readonly context_tokens?: number;
    readonly context_window?: number;
    readonly cache_read_tokens?: number;
    readonly cache_write_tokens?: number;
}

export interface UnparsedData {
    readonly error: string;
    readonly location: string;
    readonly raw_hash: string | null;
}

export interface UserInput {
    readonly text: string;
    readonly images?: readonly {
        readonly path: string;
        readonly mime: string | null;
    }[];
    readonly files?: readonly string[];
}

export type Visibility = "public" | "private";

export declare function checkTranscript(events: Iterable<unknown>, options?: CheckTranscriptOptions): readonly TranscriptProblem[];

export declare function closeTranscript(events: Iterable<UniversalEvent>, options: CloseTranscriptOptions): readonly UniversalEvent[];

export declare const emptyTranscript: Transcript;

export declare function fold(events: Iterable<UniversalEvent>, from?: Transcript, describe?: DescribeErrorData): Transcript;

export declare function isUniversalEvent(value: unknown): value is UniversalEvent;

export declare function readJsonl(text: string): JsonlContent;

export declare function reduce(transcript: Transcript, event: UniversalEvent, describe?: DescribeErrorData): Transcript;

export declare function sayWord<Word extends keyof StatusWords>(session: Session, word: Word, json: StatusWords[Word], { detail, ...details }?: Omit<StatusDetails, "json"> & {
    readonly detail?: string | null;
}): void;

export declare function sourceOf<Client extends AnyAgentClient & Telling>(setup: SourceSetup<Client>): AgentSource<Client>;

export declare function toJsonl(events: Iterable<UniversalEvent>): string;
