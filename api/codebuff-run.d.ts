// agentwire/codebuff-run

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
  PrintModeEvent,
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
  SettledRequest,
  SocketClientOptions,
  TimerOptions,
  ToolCall,
  ToolCallState,
  ToolOutput,
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

export interface AgentDefinition extends ModelOptions {
    readonly id: string;
    readonly displayName: string;
    readonly model: string;
    readonly publisher?: string;
    readonly version?: string;
    readonly toolNames?: readonly string[];
    readonly systemPrompt?: string;
    readonly instructionsPrompt?: string;
    readonly stepPrompt?: string;
    readonly outputMode?: "last_message" | "all_messages" | "structured_output";
    readonly outputSchema?: Readonly<Record<string, unknown>>;
    readonly inputSchema?: Readonly<Record<string, unknown>>;
    readonly spawnerPrompt?: string;
    readonly spawnableAgents?: readonly string[];
    readonly reasoningOptions?: object;
    readonly handleSteps?: AgentProgram;
}

export type AgentProgram = (context: ProgramContext) => Iterator<Yielded, void, ProgramNews> | AsyncIterator<Yielded, void, ProgramNews>;

export interface AiSdkModel {
    readonly specificationVersion?: string;
    readonly provider: string;
    readonly modelId: string;
    doStream(options: never): PromiseLike<{
        readonly stream: {
            getReader(): {
                read(): Promise<{
                    readonly done: boolean;
                    readonly value?: unknown;
                }>;
                cancel(): Promise<void>;
            };
        };
    }>;
}

type AnyInput = Readonly<Record<string, unknown>>;

interface CacheControl {
    readonly type: "ephemeral";
}

export interface ChatChunk {
    readonly id?: string;
    readonly choices?: readonly {
        readonly index?: number;
        readonly delta?: {
            readonly content?: string | null;
            readonly reasoning?: string | null;
            readonly reasoning_content?: string | null;
            readonly tool_calls?: readonly ToolCallDelta[] | null;
            readonly provider_calls?: readonly ProviderCall[];
        };
        readonly finish_reason?: string | null;
    }[];
    readonly usage?: ChatUsage | null;
}

export type ChatMessage = {
    readonly role: "system";
    readonly content: string;
    readonly cache_control?: CacheControl;
} | {
    readonly role: "user";
    readonly content: readonly ChatPart[];
} | {
    readonly role: "assistant";
    readonly content: string;
    readonly tool_calls?: readonly {
        readonly id: string;
        readonly type: "function";
        readonly function: {
            readonly name: string;
            readonly arguments: string;
        };
    }[];
    readonly cache_control?: CacheControl;
} | {
    readonly role: "tool";
    readonly tool_call_id: string;
    readonly content: string;
    readonly cache_control?: CacheControl;
};

export type ChatPart = ({
    readonly type: "text";
    readonly text: string;
} | {
    readonly type: "image_url";
    readonly image_url: {
        readonly url: string;
    };
}) & {
    readonly cache_control?: CacheControl;
};

export interface ChatRequest {
    readonly model: string;
    readonly stream?: true;
    readonly messages: readonly ChatMessage[];
    readonly tools?: readonly ChatTool[];
    readonly tool_choice?: "auto";
    readonly reasoning?: object;
    readonly temperature?: number;
    readonly top_p?: number;
    readonly max_tokens?: number;
    readonly stop?: readonly string[];
    readonly response_format?: {
        readonly type: "json_object";
    } | {
        readonly type: "json_schema";
        readonly json_schema: {
            readonly name: string;
            readonly schema: Readonly<Record<string, unknown>>;
        };
    };
    readonly provider_options?: Readonly<Record<string, unknown>>;
    readonly provider?: object;
    readonly codebuff_metadata?: Readonly<Record<string, unknown>>;
}

interface ChatTool {
    readonly type: "function";
    readonly function: {
        readonly name: string;
        readonly description: string;
        readonly parameters: Readonly<Record<string, unknown>>;
    };
}

interface ChatUsage {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly cost?: number;
    readonly cost_details?: {
        readonly upstream_inference_cost?: number | null;
    };
}

export declare class CodebuffRun<Tools extends ToolParametersByName = ToolParametersByName> extends BaseClient<CodebuffRunEvent, CodebuffRunResult, CodebuffRunClientEvents> implements AgentClient<CodebuffRunEvent, CodebuffRunResult, CodebuffRunPromptOptions, CodebuffRunPromptInput, CodebuffRunClientEvents> {
    #private;
    constructor(options?: CodebuffRunOptions<Tools>);
    get capabilities(): Capabilities;
    prompt(input: PromptOf<CodebuffRunPromptInput>, options?: CodebuffRunPromptOptions & TurnOptions): Turn<CodebuffRunEvent, CodebuffRunResult>;
    conversation(options?: {
        readonly from?: ConversationState | RunState;
    }): CodebuffRunConversation;
    files(prefix: string, options?: FilesOptions): Promise<FileList>;
    checkConnection(): Promise<boolean>;
}

export interface CodebuffRunChunk {
    readonly type: "chunk";
    readonly chunk: string;
}

export interface CodebuffRunClientEvents extends ClientEvents<CodebuffRunEvent, CodebuffRunResult> {
    protocolWarning: [
        warning: ProtocolWarning
    ];
    step: [
        step: CodebuffRunStep,
        turn: Turn<CodebuffRunEvent, CodebuffRunResult>
    ];
    compaction: [
        compaction: CodebuffRunCompaction,
        turn: Turn<CodebuffRunEvent, CodebuffRunResult>
    ];
}

export interface CodebuffRunCompaction {
    readonly agentId: string;
    readonly runId: string;
    readonly state: "started" | "completed";
    readonly before: number;
    readonly after?: number;
    readonly summary?: string;
}

export type CodebuffRunContent = {
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

export type CodebuffRunConversation = Conversation<CodebuffRunEvent, CodebuffRunResult, CodebuffRunPromptOptions, CodebuffRunPromptInput, CodebuffRunConversationState>;

export interface CodebuffRunConversationState extends ConversationState {
    readonly protocol: "codebuff-run";
    readonly version: 1;
    readonly run?: RunState;
}

export interface CodebuffRunDefaults extends ModelOptions {
    readonly agent?: string | AgentDefinition;
    readonly models?: readonly string[];
    readonly costMode?: string;
    readonly maxAgentSteps?: number;
    readonly maxContextTokens?: number;
    readonly extraCodebuffMetadata?: Readonly<Record<string, unknown>>;
    readonly compact?: "summary" | "truncate" | false;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly onState?: OnRunState;
}

export declare class CodebuffRunError extends TurnError {
    protected static readonly className: string;
    readonly kind: CodebuffRunFailureKind;
    partial?: TurnPartial & {
        readonly state?: RunState;
    };
    readonly serverCode?: string;
    readonly body?: string;
    readonly country?: CountryRefusal;
    constructor(options: CodebuffRunErrorOptions);
}

interface CodebuffRunErrorOptions {
    readonly kind: CodebuffRunFailureKind;
    readonly message: string;
    readonly status?: number | undefined;
    readonly serverCode?: string | undefined;
    readonly retryAfter?: number | undefined;
    readonly body?: string | undefined;
    readonly country?: CountryRefusal | undefined;
    readonly provider?: string | undefined;
    readonly cause?: unknown;
}

export type CodebuffRunEvent = PrintModeEvent | CodebuffRunChunk | CodebuffRunInputDelta | CodebuffRunProject;

export type CodebuffRunFailureKind = "bad_request" | "auth" | "payment_required" | "account_suspended" | "free_mode_unavailable" | "forbidden" | "session_gate" | "free_mode_capacity_deferred" | "update_required" | "consent_required" | "provider_usage_exhausted" | "quota_exceeded" | "rate_limited" | "server" | "network" | "upstream_error" | "protocol_error" | "stream_interrupted" | "timeout" | "start_failed" | "agent_not_found" | "invalid_agent" | "no_response" | "no_progress" | "context_limit" | "state_not_saved";

export interface CodebuffRunInputDelta {
    readonly type: "tool_input_delta";
    readonly toolCallId: string;
    readonly toolName: string;
    readonly delta: string;
    readonly isCut?: true;
    readonly agentId?: string;
    readonly parentAgentId?: string;
}

export interface CodebuffRunOptions<Tools extends ToolParametersByName = ToolParametersByName> extends CodebuffRunDefaults, ApprovalOptions, LocalClientOptions, Pick<SocketClientOptions, "allowInsecure"> {
    readonly apiKey?: string;
    readonly baseUrl?: string | URL;
    readonly headers?: Readonly<Record<string, string>>;
    readonly fetch?: FetchLike;
    readonly providers?: readonly ModelProvider[];
    readonly maxRetries?: number;
    readonly maxRetryWait?: number;
    readonly promptCaching?: boolean;
    readonly agentDefinitions?: readonly AgentDefinition[];
    readonly tools?: {
        readonly [Name in keyof Tools]: CodebuffRunTool<Tools[Name]>;
    };
    readonly overrideTools?: Readonly<Record<string, CodebuffRunToolHandler>>;
    readonly toolSources?: readonly ToolSource[];
    readonly parallelTools?: boolean;
    readonly toolTimeout?: number;
    readonly streamTimeout?: number;
    readonly silentTimeout?: number;
    readonly stepReporting?: "post" | "batch";
    readonly projectFiles?: Readonly<Record<string, string>>;
    readonly knowledgeFiles?: Readonly<Record<string, string>>;
    readonly project?: ReadProject;
    readonly files?: PromptFiles;
    readonly maxRuns?: number;
}

interface CodebuffRunProject {
    readonly type: "project";
    readonly files: readonly string[];
    readonly problems: readonly string[];
}

export interface CodebuffRunPromptInput {
    readonly prompt?: string;
    readonly content?: readonly CodebuffRunContent[];
}

export interface CodebuffRunPromptOptions extends CodebuffRunDefaults {
    readonly previousRun?: RunState;
    readonly extraToolResults?: readonly Extract<RunMessage, {
        readonly role: "tool";
    }>[];
}

export interface CodebuffRunResult extends TurnResult {
    readonly cost?: Cost;
    readonly usage?: Usage;
    readonly toolCalls: readonly TurnToolCall[];
    readonly output: RunOutput;
    readonly stopReason: RunStopReason;
    readonly steps: number;
    readonly model?: string;
    readonly runId?: string;
    readonly state: RunState;
}

export interface CodebuffRunStep {
    readonly agentId: string;
    readonly runId: string;
    readonly stepNumber: number;
    readonly credits: number;
    readonly contextTokens: number;
    readonly model: string;
    readonly maxContextTokens?: number;
    readonly usage?: Usage;
    readonly cost?: Cost;
    readonly provider?: string;
    readonly state?: RunState;
}

export interface CodebuffRunTool<Parameters extends ToolParameters = ToolParameters> {
    readonly description: string;
    readonly parameters: Parameters;
    readonly endsAgentStep?: boolean;
    readonly readOnly?: boolean;
    grant?(input: ToolInputOf<Parameters>): string;
    execute(call: CodebuffRunToolCall<ToolInputOf<Parameters>>, context: CodebuffRunToolContext): readonly ToolOutput[] | Promise<readonly ToolOutput[]>;
}

export interface CodebuffRunToolCall<Input = Readonly<Record<string, unknown>>> extends ToolCall {
    readonly input: Input;
    readonly turnId: string;
    readonly raw: Extract<PrintModeEvent, {
        readonly type: "tool_call";
    }>;
}

export interface CodebuffRunToolContext {
    readonly signal: AbortSignal;
    readonly onProgress: (output: string) => void;
}

export interface CodebuffRunToolHandler<Input = Readonly<Record<string, unknown>>> {
    (call: CodebuffRunToolCall<Input>, context: CodebuffRunToolContext): readonly ToolOutput[] | Promise<readonly ToolOutput[]>;
    readonly preview?: (call: CodebuffRunToolCall<Input>, context: Pick<CodebuffRunToolContext, "signal">) => readonly ToolPreview[] | undefined | Promise<readonly ToolPreview[] | undefined>;
    readonly readOnly?: boolean;
}

interface CountryRefusal {
    readonly countryCode?: string;
    readonly countryBlockReason?: string;
    readonly ipPrivacySignals?: readonly unknown[];
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ModelOptions {
    readonly temperature?: number;
    readonly topP?: number;
    readonly maxOutputTokens?: number;
    readonly stop?: readonly string[];
    readonly responseFormat?: ResponseFormat;
    readonly providerOptions?: object;
}

export interface ModelProvider {
    readonly name: string;
    supports(query: ModelQuery): boolean;
    readonly contextWindow?: number;
    stream(request: ChatRequest, context: {
        readonly signal: AbortSignal;
    }): AsyncIterable<ChatChunk>;
    readonly readsCacheMarks?: boolean;
    refreshAuth?(): Promise<boolean>;
    rateLimitResetAt?(error: unknown): Promise<Date | null>;
}

interface ModelQuery {
    readonly model: string;
    readonly costMode: string;
}

type ObjectOr<Output> = Output extends object ? Output : AnyInput;

export type OnRunState = (state: RunState, context: {
    readonly turnId: string;
    readonly signal: AbortSignal;
}) => void | PromiseLike<void>;

export interface OpenAiCompatibleOptions {
    readonly baseUrl: string | URL;
    readonly apiKey?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly model?: string;
    readonly name?: string;
    readonly fetch?: FetchLike;
    readonly streamTimeout?: number;
    readonly contextWindow?: number;
    readonly allowInsecure?: boolean;
    readonly clock?: Clock;
}

type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

interface ProgramContext {
    readonly agentState: RunAgentState;
    readonly prompt: string | undefined;
    readonly params: Readonly<Record<string, unknown>> | undefined;
}

export interface ProgramNews {
    readonly agentState: RunAgentState;
    readonly toolResult: readonly ToolOutput[] | undefined;
    readonly stepsComplete: boolean;
    readonly nResponses: readonly string[] | undefined;
}

export type ProgramStep = "STEP" | "STEP_ALL" | {
    readonly type: "GENERATE_N";
    readonly n: number;
} | {
    readonly toolName: string;
    readonly input: Readonly<Record<string, unknown>>;
};

interface ProjectFacts {
    readonly projectRoot: string;
    readonly fileTree?: readonly TreeNode[];
    readonly knowledgeFiles?: Readonly<Record<string, string>>;
    readonly systemInfo?: {
        readonly platform: string;
        readonly arch: string;
        readonly shell: string;
    };
    readonly gitChanges?: {
        readonly status: string;
        readonly diff: string;
        readonly diffCached: string;
        readonly lastCommitMessages: string;
    };
    readonly problems?: readonly string[];
}

type ProviderCall = {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
} | {
    readonly id: string;
    readonly name: string;
    readonly result: unknown;
    readonly isError: boolean;
};

type ReadProject = (context: {
    readonly signal: AbortSignal;
}) => Promise<ProjectFacts>;

export interface ResponseFormat {
    readonly type: "text" | "json";
    readonly schema?: Readonly<Record<string, unknown>>;
    readonly name?: string;
}

interface RunAgentState {
    readonly agentId: string;
    readonly agentType: string | null;
    readonly messageHistory: readonly RunMessage[];
    readonly stepsRemaining: number;
    readonly creditsUsed: number;
    readonly directCreditsUsed: number;
    readonly contextTokenCount?: number;
    readonly runId?: string;
    readonly output?: Readonly<Record<string, unknown>>;
}

interface RunCallPart {
    readonly type: "tool-call";
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: Readonly<Record<string, unknown>>;
}

interface RunFailure {
    readonly kind: CodebuffRunFailureKind | "aborted";
    readonly status?: number;
    readonly code?: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly retryAfterMs?: number;
}

export type RunMessage = {
    readonly role: "system" | "user" | "assistant";
    readonly content: readonly RunPart[];
    readonly tags?: readonly string[];
    readonly sentAt?: number;
} | RunToolMessage;

export type RunOutput = {
    readonly type: "lastMessage" | "allMessages";
    readonly value: readonly RunMessage[];
} | {
    readonly type: "structuredOutput";
    readonly value: Readonly<Record<string, unknown>> | null;
} | {
    readonly type: "error";
    readonly message: string;
    readonly statusCode?: number;
    readonly error?: string;
    readonly countryCode?: string;
    readonly countryBlockReason?: string;
    readonly ipPrivacySignals?: readonly unknown[];
};

type RunPart = {
    readonly type: "text";
    readonly text: string;
} | {
    readonly type: "image";
    readonly image: string;
    readonly mediaType?: string;
} | {
    readonly type: "reasoning";
    readonly text: string;
} | RunCallPart;

export interface RunState {
    readonly sessionState?: {
        readonly mainAgentState: RunAgentState;
        readonly fileContext: Readonly<Record<string, unknown>>;
    };
    readonly output: RunOutput;
    readonly stopReason?: RunStopReason;
    readonly failure?: RunFailure;
    readonly underWay?: RunUnderWay;
}

export type RunStopReason = "completed" | "task_completed" | "end_turn" | "max_steps" | "cancelled" | "error";

interface RunToolMessage {
    readonly role: "tool";
    readonly toolName: string;
    readonly toolCallId: string;
    readonly content: readonly ToolOutput[];
}

export interface RunUnderWay {
    readonly version: 1;
    readonly messages: number;
    readonly openCalls: readonly RunCallPart[];
}

export interface SourceTool extends CodebuffRunTool {
    readonly name: string;
}

type StandardResult = {
    readonly value: unknown;
    readonly issues?: undefined;
} | {
    readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
    }[];
};

export interface StandardSchema {
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
        readonly types?: {
            readonly output: unknown;
        } | undefined;
        readonly jsonSchema?: {
            readonly input: (options: {
                readonly target: "draft-2020-12";
            }) => Record<string, unknown>;
        };
    };
}

interface ToolCallDelta {
    readonly index: number;
    readonly id?: string | null;
    readonly function?: {
        readonly name?: string | null;
        readonly arguments?: string | null;
    };
}

type ToolInputOf<Parameters extends ToolParameters> = Parameters extends {
    readonly schema: infer Schema extends StandardSchema;
} ? ObjectOr<OutputOf<Schema>> : Parameters extends StandardSchema ? ObjectOr<OutputOf<Parameters>> : AnyInput;

export type ToolParameters = JsonSchema | StandardSchema | {
    readonly schema: StandardSchema;
    readonly parameters: JsonSchema;
};

export type ToolParametersByName = Readonly<Record<string, ToolParameters>>;

export interface ToolSource {
    readonly name: string;
    tools(context: ToolSourceContext): Promise<readonly SourceTool[]>;
    close(): Promise<void>;
}

interface ToolSourceContext {
    readonly signal: AbortSignal;
    readonly clock: Clock;
    readonly warn: (message: string) => void;
}

interface TreeNode {
    readonly name: string;
    readonly type: "file" | "directory";
    readonly filePath: string;
    readonly children?: readonly TreeNode[];
}

type Yielded = ProgramStep | (string & {});

export declare function aiSdkModel(model: AiSdkModel): ModelProvider;

export declare function codebuffRun(options?: CodebuffRunOptions): AgentSource<CodebuffRun>;

export declare function openAiCompatible(options: OpenAiCompatibleOptions): ModelProvider;

export declare function toUniversal(of: CodebuffRun | AnyTurn | AnyConversation, options?: UniversalOptions): UniversalStream;
