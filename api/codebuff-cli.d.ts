// agentwire/codebuff-cli

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

export declare class CodebuffCli extends BaseClient<CodebuffCliEvent, CodebuffCliResult, CodebuffCliClientEvents> implements AgentClient<CodebuffCliEvent, CodebuffCliResult, CodebuffCliPromptOptions, CodebuffCliPromptInput, CodebuffCliClientEvents> {
    #private;
    constructor(options?: CodebuffCliOptions);
    get capabilities(): Capabilities;
    prompt(input: PromptOf<CodebuffCliPromptInput>, options?: CodebuffCliPromptOptions & TurnOptions): Turn<CodebuffCliEvent, CodebuffCliResult>;
    conversation(options?: {
        readonly from?: CodebuffCliConversationState | ConversationState;
    }): CodebuffCliConversation;
    probe(): Promise<CodebuffCliProbe>;
    credentials(): CredentialReport;
}

export interface CodebuffCliChat {
    readonly id: string;
    readonly path: string;
}

export interface CodebuffCliChunk {
    readonly type: "chunk";
    readonly delta: string;
}

export interface CodebuffCliClientEvents extends ClientEvents<CodebuffCliEvent, CodebuffCliResult> {
    protocolWarning: [
        warning: ProtocolWarning
    ];
    spawned: [
        process: {
            readonly pid: number;
            readonly turn: Turn<CodebuffCliEvent, CodebuffCliResult>;
        }
    ];
    stderr: [
        line: string,
        turn: Turn<CodebuffCliEvent, CodebuffCliResult>
    ];
}

export type CodebuffCliConversation = Conversation<CodebuffCliEvent, CodebuffCliResult, CodebuffCliPromptOptions, CodebuffCliPromptInput, CodebuffCliConversationState>;

export interface CodebuffCliConversationState extends ConversationState {
    readonly protocol: "codebuff-cli";
    readonly version: 1;
    readonly sessionId?: string;
}

export declare class CodebuffCliError extends TurnError {
    protected static readonly className: string;
    readonly kind: CodebuffCliFailureKind;
    readonly exitCode: number | null;
    readonly signal?: string;
    readonly stderr: CodebuffCliStderr;
    constructor(options: TurnErrorOptions & {
        readonly kind: CodebuffCliFailureKind;
        readonly exitCode: number | null;
        readonly signal?: string | undefined;
        readonly stderr: CodebuffCliStderr;
    });
}

export type CodebuffCliEvent = Exclude<PrintModeEvent, {
    readonly type: "text" | "tool_result" | "finish";
}> | CodebuffCliText | CodebuffCliToolResult | CodebuffCliFinish | CodebuffCliChunk | CodebuffCliUnknown;

export type CodebuffCliFailureKind = "process_exit" | "run_failed" | "no_prompt" | "auth" | "payment_required" | "forbidden" | "rate_limited" | "server" | "agent_not_found" | "no_response" | "cancelled_by_cli" | "unsupported_flag" | "protocol_error" | "stream_ended" | "interactive_cli";

export interface CodebuffCliFinish {
    readonly type: "finish";
    readonly totalCost?: number;
    readonly agentId?: string;
}

export type CodebuffCliMode = "default" | "free" | "max" | "plan";

export interface CodebuffCliOptions extends CredentialOptions, LocalClientOptions {
    readonly command?: string;
    readonly args?: readonly string[];
    readonly profile?: CodebuffCliProfile;
    readonly mode?: CodebuffCliMode;
    readonly freeFlag?: "--free" | "--lite";
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly isolateHome?: boolean;
    readonly requireKey?: boolean;
    readonly promptVia?: "arg" | "stdin";
    readonly endOfOptions?: boolean;
    readonly commandPrefixes?: readonly string[];
    readonly allowCommands?: boolean;
    readonly maxProcesses?: number;
    readonly startupTimeout?: number;
    readonly idleTimeout?: number;
    readonly exitGrace?: number;
    readonly killGrace?: number;
    readonly requireFinish?: boolean;
    readonly requireContinuity?: boolean;
    readonly answerByContinue?: boolean;
    readonly forwardSignals?: boolean;
    readonly maxLineBytes?: number;
    readonly maxOutputBytes?: number;
}

export interface CodebuffCliProbe {
    readonly version?: string;
    readonly flags: readonly string[];
    readonly profile?: CodebuffCliProfile;
    readonly freeFlag?: "--free" | "--lite";
}

export type CodebuffCliProfile = "stream-json" | "json" | "print" | "text";

export interface CodebuffCliPromptInput {
    readonly prompt: string;
}

export interface CodebuffCliPromptOptions {
    readonly mode?: CodebuffCliMode;
    readonly cwd?: string;
    readonly promptVia?: "arg" | "stdin";
    readonly allowCommands?: boolean;
    readonly agent?: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly sessionId?: string;
    readonly timeoutSeconds?: number;
}

export interface CodebuffCliResult extends TurnResult {
    readonly cost?: Cost;
    readonly sessionId?: string;
    readonly toolCalls: readonly TurnToolCall[];
    readonly missingFinish?: true;
    readonly exitCode: number | null;
    readonly stderr: CodebuffCliStderr;
}

export interface CodebuffCliStderr {
    readonly head: readonly string[];
    readonly tail: readonly string[];
    readonly truncated: boolean;
    readonly totalLines: number;
}

export type CodebuffCliText = Extract<PrintModeEvent, {
    readonly type: "text";
}> & {
    readonly delta: string;
};

type CodebuffCliToolOutput = ToolOutput | {
    readonly type: "unknown";
    readonly part: Readonly<Record<string, unknown>>;
};

export type CodebuffCliToolResult = Omit<Extract<PrintModeEvent, {
    readonly type: "tool_result";
}>, "output"> & {
    readonly output: readonly CodebuffCliToolOutput[];
    readonly answer?: QuestionOutcome;
};

export interface CodebuffCliUnknown {
    readonly type: "unknown";
    readonly event: Readonly<Record<string, unknown>>;
}

export declare class CodebuffCredentials {
    #private;
    readonly source: CredentialPlace;
    constructor(apiKey: string, source: CredentialPlace);
    get apiKey(): string;
    toString(): string;
    toJSON(): object;
}

export interface CredentialFinding {
    readonly place: CredentialPlace;
    readonly path?: string;
    readonly status: "used" | "other" | "same" | "none" | "missing" | "unreadable" | "too-large" | "not-json" | "no-object";
    readonly field?: string;
    readonly exposed?: true;
}

export interface CredentialOptions {
    readonly apiKey?: string;
    readonly homeDir?: string;
    readonly configDirName?: string;
    readonly credentialOrder?: "documented" | "cli";
}

export type CredentialPlace = "option apiKey" | "CODEBUFF_API_KEY" | "~/.codebuff/config.json" | "~/.codebuff/auth.json" | "the program's own file";

export interface CredentialReport {
    readonly credentials: CodebuffCredentials | null;
    readonly findings: readonly CredentialFinding[];
    readonly warnings: readonly CredentialWarning[];
}

export interface CredentialWarning {
    readonly kind: "credential-conflict" | "credentials-exposed";
    readonly message: string;
}

type QuestionOutcome = {
    readonly status: "answered";
    readonly answers: readonly (readonly string[])[];
} | {
    readonly status: "skipped";
} | {
    readonly status: "unanswered";
    readonly reason: string;
};

export declare function codebuffCli(options?: CodebuffCliOptions): AgentSource<CodebuffCli>;

export declare function findCodebuffCredentials(options?: CredentialOptions, env?: Readonly<Record<string, string | undefined>>): CredentialReport;

export declare function listCodebuffChats(cwd?: string, options?: {
    readonly homeDir?: string;
    readonly configDirName?: string;
}): readonly CodebuffCliChat[];

export declare function resolveCodebuffCredentials(options?: CredentialOptions, env?: Readonly<Record<string, string | undefined>>): CodebuffCredentials | null;

export declare function toUniversal(of: CodebuffCli | AnyTurn | AnyConversation, options?: UniversalOptions): UniversalStream;
