// agentwire/ai-sdk

export interface AgentwireApproval {
    readonly preview?: readonly ToolPreview[];
    readonly grant?: string;
    readonly agent?: string;
}

export declare class AgentwireChatTransport implements ChatTransport<UIMessage> {
    #private;
    readonly resumeStreamIsReplay = true;
    constructor(chat: Chat);
    sendMessages(options: SendOptions): Promise<ReadableStream<UIMessageChunk>>;
    reconnectToStream({ chatId, abortSignal, }: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null>;
    close(): Promise<void>;
}

export type AgentwireData = {
    readonly subagent: {
        readonly type: string;
        readonly name: string;
        readonly prompt?: string;
        readonly status: "running" | "done" | "failed";
        readonly text: string;
    };
    readonly plan: {
        readonly entries: readonly PlanEntry[];
    };
    readonly notice: {
        readonly severity: NoticeSeverity;
        readonly text: string;
    };
    readonly compaction: {
        readonly state: "started" | "completed";
        readonly summary?: string;
    };
    readonly title: {
        readonly title: string;
    };
    readonly file: Pick<FileRefPart, "path" | "action" | "diff">;
    readonly status: {
        readonly label: string;
        readonly detail: string | null;
        readonly json?: unknown;
        readonly failed?: true;
    };
    readonly error: {
        readonly message: string;
        readonly code: string | null;
    };
    readonly mode: TranscriptChoice;
    readonly model: TranscriptChoice;
    readonly commands: {
        readonly available: readonly TranscriptCommand[];
    };
};

export interface AgentwireMetadata {
    readonly promptId?: string;
    readonly branchOf?: string;
    readonly status?: "completed" | "failed" | "cancelled";
    readonly stopReason?: string;
    readonly model?: string;
    readonly usage?: {
        readonly inputTokens?: number;
        readonly outputTokens?: number;
        readonly totalTokens?: number;
        readonly cacheReadTokens?: number;
        readonly cacheWriteTokens?: number;
    };
    readonly context?: TranscriptContext;
    readonly cost?: UniversalCost;
}

export type AgentwireUIMessage = UIMessage<AgentwireMetadata, AgentwireData>;

export interface AskUserInput {
    readonly questions: readonly UniversalQuestion[];
}

type ReconnectOptions = Parameters<ChatTransport<UIMessage>["reconnectToStream"]>[0];

type SendOptions = Parameters<ChatTransport<UIMessage>["sendMessages"]>[0];

export declare function lastMessageIsDecided({ messages }: {
    readonly messages: readonly UIMessage[];
}): boolean;

export declare function toUIMessageStream(events: AsyncIterable<UniversalEvent>): ReadableStream<UIMessageChunk>;
