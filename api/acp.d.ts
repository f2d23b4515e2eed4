// agentwire/acp

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

export interface AcpAgent {
    readonly protocolVersion: unknown;
    readonly name: string;
    readonly title?: string;
    readonly version?: string;
    readonly authMethods: readonly AcpAuthMethod[];
    readonly prompts: {
        readonly image: boolean;
        readonly audio: boolean;
        readonly embeddedContext: boolean;
    };
    readonly loadsSessions: boolean;
    readonly resumesSessions: boolean;
    readonly listsSessions: boolean;
    readonly closesSessions: boolean;
    readonly deletesSessions: boolean;
    readonly capabilities: Readonly<Record<string, unknown>>;
}

export declare class AcpAuthError extends HandshakeError {
    protected static readonly className: string;
    readonly methods: readonly AcpAuthMethod[];
    readonly stderr: string;
}

export interface AcpAuthMethod {
    readonly id: string;
    readonly name: string;
    readonly description?: string;
    readonly type: string;
}

export interface AcpChoice {
    readonly id: string;
    readonly name: string;
    readonly description?: string;
}

export interface AcpChoices {
    readonly current: string;
    readonly available: readonly AcpChoice[];
}

export declare class AcpClient extends BaseClient<AcpEvent, AcpResult, AcpClientEvents> implements AgentClient<AcpEvent, AcpResult, object, AcpPromptInput, AcpClientEvents> {
    #private;
    constructor(options?: AcpOptions);
    get agent(): AcpAgent | undefined;
    get capabilities(): Capabilities;
    prompt(input: PromptOf<AcpPromptInput>, options?: TurnOptions): Turn<AcpEvent, AcpResult>;
    conversation(options?: {
        readonly from?: AcpConversationState | ConversationState;
    }): AcpConversation;
    files(prefix: string, options?: FilesOptions): Promise<FileList>;
    session(sessionId: string): AcpSessionState | undefined;
    sessions(): Promise<readonly AcpStoredSession[]>;
    deleteSession(sessionId: string): Promise<void>;
}

export interface AcpClientEvents extends ClientEvents<AcpEvent, AcpResult> {
    spawned: [
        process: {
            readonly pid: number;
        }
    ];
    session: [
        state: AcpSessionState,
        part: AcpSessionPart,
        turn?: Turn<AcpEvent, AcpResult>
    ];
    notification: [
        notification: {
            readonly method: string;
            readonly params: unknown;
        }
    ];
}

export interface AcpCommand {
    readonly name: string;
    readonly description: string;
    readonly hint?: string;
}

export type AcpConfigOption = {
    readonly id: string;
    readonly name: string;
    readonly description?: string;
    readonly category?: string;
} & ({
    readonly type: "select";
    readonly current: string;
    readonly available: readonly AcpChoice[];
} | {
    readonly type: "boolean";
    readonly current: boolean;
});

export type AcpContentBlock = {
    readonly type: "text";
    readonly text: string;
} | {
    readonly type: "image";
    readonly data: string;
    readonly mimeType: string;
    readonly uri?: string;
} | {
    readonly type: "audio";
    readonly data: string;
    readonly mimeType: string;
} | {
    readonly type: "resource_link";
    readonly uri: string;
    readonly name: string;
    readonly mimeType?: string;
    readonly description?: string;
} | {
    readonly type: "resource";
    readonly resource: {
        readonly uri: string;
        readonly mimeType?: string;
        readonly text?: string;
        readonly blob?: string;
    };
};

export interface AcpConversation extends Conversation<AcpEvent, AcpResult, object, AcpPromptInput, AcpConversationState> {
    readonly session: AcpSessionState | undefined;
    onSession(listener: () => void): Unsubscribe;
    open(): Promise<AcpSessionState>;
    load(): Promise<readonly ConversationMessage[]>;
    setMode(id: string): Promise<void>;
    setModel(id: string): Promise<void>;
    setOption(id: string, value: string | boolean): Promise<void>;
}

export interface AcpConversationState extends ConversationState {
    readonly protocol: "acp";
    readonly version: 1;
    readonly cwd: string;
    readonly sessionId?: string;
}

export type AcpEvent = {
    readonly type: "text";
    readonly delta: string;
    readonly messageId?: string;
} | {
    readonly type: "thought";
    readonly delta: string;
    readonly messageId?: string;
} | {
    readonly type: "content";
    readonly block: Exclude<AcpContentBlock, {
        readonly type: "text";
    }> | AcpUnknownBlock;
    readonly isThought?: true;
} | {
    readonly type: "tool_call";
    readonly callId: string;
    readonly call: AcpToolCall;
} | {
    readonly type: "tool_output";
    readonly callId: string;
    readonly delta: string;
} | {
    readonly type: "plan";
    readonly entries: readonly AcpPlanEntry[];
} | {
    readonly type: "notice";
    readonly severity: "info" | "warning" | "error";
    readonly title: string;
    readonly description?: string;
} | {
    readonly type: "compaction";
    readonly state: "started" | "completed";
    readonly summary?: string;
} | {
    readonly type: "unknown";
    readonly update: unknown;
};

interface AcpFileHandler {
    (call: {
        readonly id: string;
        readonly name: string;
        readonly input: unknown;
        readonly turnId: string;
    }, context: {
        readonly signal: AbortSignal;
        readonly onProgress?: (output: string) => void;
    }): Promise<readonly {
        readonly type: string;
        readonly value?: unknown;
    }[]>;
    readonly preview?: TellPreview;
}

export interface AcpFiles extends PromptFiles {
    readonly handlers: Readonly<Record<string, AcpFileHandler>>;
    readonly readFiles: (paths: readonly string[]) => Promise<Readonly<Record<string, string | null>>>;
}

export declare class AcpLostError extends ConnectionLostError {
    protected static readonly className: string;
    readonly exitCode: number | null;
    readonly signal: string | null;
    readonly stderr: string;
    constructor(message: string, { code, signal }: Exit, stderr: string);
}

export type AcpMcpServer = {
    readonly name: string;
    readonly command: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
} | {
    readonly type: "http" | "sse";
    readonly name: string;
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
};

export interface AcpOptions extends LocalClientOptions, ApprovalOptions {
    readonly command?: string;
    readonly args?: readonly string[];
    readonly createStream?: () => AcpStream;
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly keepEnv?: readonly string[];
    readonly mode?: string | false;
    readonly auth?: string;
    readonly mcpServers?: readonly AcpMcpServer[];
    readonly always?: "gate" | "agent";
    readonly files?: AcpFiles;
    readonly readFiles?: boolean;
    readonly clientInfo?: {
        readonly name: string;
        readonly title?: string;
        readonly version: string;
    };
    readonly maxTurns?: number;
    readonly connectTimeout?: number;
    readonly idleTimeout?: number;
    readonly cancelTimeout?: number;
    readonly forwardSignals?: boolean;
    readonly maxLineBytes?: number;
    readonly maxSendBytes?: number;
}

export interface AcpPlanEntry {
    readonly content: string;
    readonly status: "pending" | "in_progress" | "completed";
    readonly priority?: "high" | "medium" | "low";
}

export interface AcpPreset {
    readonly facts: AcpPresetFacts;
    (options?: AcpPresetOptions): AcpOptions;
}

export interface AcpPresetFacts {
    readonly command: string;
    readonly args: readonly string[];
    readonly mode: string;
    readonly seenWith: readonly string[];
    readonly install: string;
    readonly variables: readonly string[];
    readonly notes: readonly string[];
}

export type AcpPresetOptions = Omit<AcpOptions, "command" | "createStream">;

export interface AcpPromptInput {
    readonly blocks: readonly AcpContentBlock[];
}

export interface AcpResult extends TurnResult {
    readonly sessionId: string;
    readonly stopReason: AcpStopReason | (string & {});
    readonly toolCalls: readonly TurnToolCall[];
    readonly thought: string;
    readonly plan?: readonly AcpPlanEntry[];
    readonly usage?: AcpUsage;
    readonly cost?: Cost;
    readonly isEmpty?: true;
}

export type AcpSessionPart = "modes" | "models" | "commands" | "context" | "title" | "options";

export interface AcpSessionState {
    readonly sessionId: string;
    readonly title?: string;
    readonly modes?: AcpChoices;
    readonly models?: AcpChoices;
    readonly options: readonly AcpConfigOption[];
    readonly commands: readonly AcpCommand[];
    readonly context?: {
        readonly used: number;
        readonly size?: number;
    };
}

export type AcpStopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

export interface AcpStoredSession {
    readonly sessionId: string;
    readonly title?: string;
    readonly updatedAt?: string;
}

export interface AcpStream {
    readonly readable: {
        getReader(): {
            read(): Promise<{
                readonly done: boolean;
                readonly value?: Uint8Array | undefined;
            }>;
            cancel(reason?: unknown): Promise<unknown>;
        };
    };
    readonly writable: {
        getWriter(): {
            write(bytes: Uint8Array): Promise<unknown>;
            close(): Promise<unknown>;
        };
    };
}

export interface AcpToolCall {
    readonly toolCallId: string;
    readonly title?: string;
    readonly name?: string;
    readonly kind?: AcpToolKind;
    readonly status?: AcpToolStatus;
    readonly content?: readonly AcpToolContent[];
    readonly locations?: readonly {
        readonly path: string;
        readonly line?: number;
    }[];
    readonly rawInput?: unknown;
    readonly rawOutput?: unknown;
}

export type AcpToolContent = {
    readonly type: "content";
    readonly content: AcpContentBlock | AcpUnknownBlock;
} | {
    readonly type: "diff";
    readonly path: string;
    readonly oldText: string | null;
    readonly newText: string;
} | {
    readonly type: "terminal";
    readonly terminalId: string;
};

export type AcpToolKind = "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other";

export type AcpToolStatus = "pending" | "in_progress" | "completed" | "failed";

export declare class AcpTurnError extends TurnError {
    protected static readonly className: string;
    readonly rpcCode?: number;
    readonly stderr: string;
}

export interface AcpUnknownBlock {
    readonly type: "unknown";
    readonly block: unknown;
}

export interface AcpUsage extends Usage {
    readonly totalTokens?: number;
    readonly thoughtTokens?: number;
    readonly cachedReadTokens?: number;
    readonly cachedWriteTokens?: number;
}

interface Exit {
    readonly code: number | null;
    readonly signal: string | null;
}

declare const FACTS: {
    gemini: {
        command: string;
        args: string[];
        mode: string;
        seenWith: string[];
        install: string;
        variables: string[];
        notes: string[];
    };
    claude: {
        command: string;
        args: never[];
        mode: string;
        seenWith: string[];
        install: string;
        variables: string[];
        notes: string[];
    };
    codex: {
        command: string;
        args: never[];
        mode: string;
        seenWith: string[];
        install: string;
        variables: string[];
        notes: string[];
    };
    copilot: {
        command: string;
        args: string[];
        mode: string;
        seenWith: string[];
        install: string;
        variables: string[];
        notes: string[];
    };
    opencode: {
        command: string;
        args: string[];
        mode: string;
        seenWith: string[];
        install: string;
        variables: string[];
        notes: string[];
    };
    qwen: {
        command: string;
        args: string[];
        mode: string;
        seenWith: string[];
        install: string;
        variables: string[];
        notes: string[];
    };
    kimi: {
        command: string;
        args: string[];
        mode: string;
        seenWith: string[];
        install: string;
        variables: never[];
        notes: string[];
    };
    vibe: {
        command: string;
        args: never[];
        mode: string;
        seenWith: string[];
        install: string;
        variables: string[];
        notes: string[];
    };
};

type TellPreview = (call: ToolCall, context: AskContext) => readonly ToolPreview[] | undefined | Promise<readonly ToolPreview[] | undefined>;

export declare const acp: ((options: AcpOptions) => AgentSource<AcpClient>) & {
    readonly presets: typeof presets;
};

declare const presets: {
    readonly [Name in keyof typeof FACTS]: AcpPreset;
};

export declare function toUniversal(of: AcpClient | AnyTurn | AnyConversation, options?: UniversalOptions): UniversalStream;
