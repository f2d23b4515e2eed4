// agentwire/chat

export {
  ChatApproval,
  ChatBranches,
  ChatDataPart,
  ChatErrorPart,
  ChatFilePart,
  ChatMessage,
  ChatPart,
  ChatQuestionPart,
  ChatReasoningPart,
  ChatStatusPart,
  ChatSubagentPart,
  ChatTextPart,
  ChatToolPart,
  NoticeSeverity,
} from "agentwire/universal";

export interface Chat extends AsyncDisposable {
    readonly subscribe: (listener: () => void) => Unsubscribe;
    readonly on: {
        (name: "event", listener: (event: UniversalEvent, position?: string) => void): Unsubscribe;
        (name: "reset", listener: () => void): Unsubscribe;
    };
    readonly getSnapshot: () => ChatSnapshot;
    readonly send: (input: string | PromptInput) => ChatSend;
    readonly cancel: (what?: ChatCancel) => ChatResult;
    readonly retry: (messageId: string) => ChatSend;
    readonly regenerate: (messageId: string) => ChatSend;
    readonly edit: (messageId: string, input: string | PromptInput) => ChatSend;
    readonly selectBranch: (messageId: string) => ChatResult;
    readonly unqueue: (id: string) => ChatResult;
    readonly editQueued: (id: string, input: string | PromptInput) => ChatResult;
    readonly moveQueued: (id: string, before: string | null) => ChatResult;
    readonly sendNow: (id: string) => ChatResult;
    readonly decide: (id: string, decision: Decision) => ChatResult;
    readonly setMode: (id: string) => Promise<ChatResult>;
    readonly setModel: (id: string) => Promise<ChatResult>;
    readonly files: (prefix: string, options?: FilesOptions) => Promise<ChatFiles>;
    readonly revoke: (id: string) => ChatResult;
    readonly answer: (id: string, answer: Answer) => ChatResult;
    readonly resume: (how?: ChatResume) => ChatResult;
    readonly connect: () => ChatResult;
    readonly dismiss: () => void;
    readonly close: () => Promise<void>;
}

export type ChatCancel = "turn" | "all" | {
    readonly turnId: string;
};

export interface ChatConnection {
    readonly status: ClientStatus;
    readonly attempt: number;
    readonly retryAt?: number;
    readonly reason?: ErrorDescription;
    readonly contextLost: boolean;
}

export type ChatFiles = ({
    readonly ok: true;
} & FileList) | {
    readonly ok: false;
    readonly error: AnyAgentwireError;
};

export interface ChatGrant {
    readonly id: string;
    readonly tool: string;
    readonly grant: string;
    readonly scope: "turn" | "session";
}

export interface ChatOptions {
    readonly from?: SavedChat;
    readonly whenBusy?: "queue" | "refuse";
    readonly maxQueued?: number;
    readonly store?: ChatStore;
    readonly id?: string;
    readonly universal?: UniversalOptions;
    readonly clock?: Pick<Clock, "wallTime" | "setTimeout">;
    readonly newId?: () => string;
    readonly onListenerError?: (error: unknown) => void;
}

export type ChatPending = TranscriptRequest;

export interface ChatProblem extends ErrorDescription {
    readonly error: unknown;
}

export type ChatResult = {
    readonly ok: true;
} | {
    readonly ok: false;
    readonly error: AnyAgentwireError;
};

export type ChatResume = "without-context" | "with-transcript";

export type ChatSend = {
    readonly ok: true;
    readonly id: string;
} | {
    readonly ok: false;
    readonly error: AnyAgentwireError;
    readonly id?: string;
};

export interface ChatSnapshot extends Pick<Transcript, "usage" | "cost" | "plan" | "context" | "modes" | "models" | "commands"> {
    readonly messages: List<ChatMessage>;
    readonly connection: ChatConnection;
    readonly pending: readonly ChatPending[];
    readonly approvals: readonly ChatGrant[];
    readonly capabilities: Capabilities | undefined;
    readonly loading: boolean;
    readonly busy: boolean;
    readonly queue: readonly QueuedPrompt[];
    readonly problem: ChatProblem | undefined;
    readonly state: ConversationState | undefined;
    readonly saved: SavedChat;
}

export interface ChatStore {
    load(id: string): Promise<readonly UniversalEvent[]>;
    append(id: string, events: readonly UniversalEvent[]): Promise<void>;
    list(): Promise<readonly string[]>;
}

export declare class ChatStoreError extends Error {
    readonly code = "store-failed";
    readonly operation: "load" | "append" | "list";
    readonly id?: string;
    readonly reason?: string;
    readonly fatal?: true;
    constructor(message: string, options: {
        readonly operation: "load" | "append" | "list";
        readonly id?: string | undefined;
        readonly reason?: string | undefined;
        readonly fatal?: true | undefined;
        readonly cause?: unknown;
    });
    toJSON(): object;
}

export interface ErrorDescription {
    readonly title: string;
    readonly detail: string;
    readonly retry: "safe" | "ask" | "no";
    readonly code: string;
}

export interface InertOptions {
    readonly keepNewlines?: boolean;
    readonly keepTabs?: boolean;
}

export interface InertStream {
    push(delta: string): string;
    end(): string;
}

export declare const MAX_QUEUED_PROMPTS = 100;

export declare const MAX_RECAP_LENGTH = 32000;

export declare const MAX_STORE_WAIT = 2000;

export declare const MAX_UNSAVED_EVENTS = 50000;

export interface QueuedPrompt {
    readonly id: string;
    readonly input: string | PromptInput;
    readonly at: number;
    readonly held?: true;
}

export declare const STORE_RETRY_DELAY = 5000;

export interface SavedBranch {
    readonly messages: readonly SavedMessage[];
    readonly state?: ConversationState;
}

export interface SavedChat {
    readonly version: 1;
    readonly source: string;
    readonly messages: readonly SavedMessage[];
    readonly state?: ConversationState;
    readonly totals: ChatTotals;
    readonly queue?: readonly string[];
    readonly branches?: readonly SavedBranch[];
}

export type SavedMessage = Omit<ChatMessage, "parts"> & {
    readonly parts: readonly SavedPart[];
};

export type SavedPart = Exclude<ChatPart, ChatSubagentPart> | (Omit<ChatSubagentPart, "parts"> & {
    readonly parts: readonly SavedPart[];
});

export declare function createChat(source: AgentSource, options?: ChatOptions): Chat;

export declare function createInert(options?: InertOptions): InertStream;

export declare function describeError(error: unknown): ErrorDescription;

export declare function describeErrorData(error: ErrorData): ErrorDescription;

export declare function inert(text: string, options?: InertOptions): string;

export declare function isChatStoreError(error: unknown): error is ChatStoreError;

export declare function memoryStore(): ChatStore;

export declare function reveal(text: string): string;
