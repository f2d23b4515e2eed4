// agentwire/server

export type AppendResult = {
    readonly ok: true;
    readonly again?: true;
} | {
    readonly ok: false;
    readonly why: "fenced" | "conflict";
    readonly head: number;
};

export type Authorize = (request: RelayRequest, question: RelayQuestion) => RelayUser | false | RelayResponse | Promise<RelayUser | false | RelayResponse>;

export type CommandKind = "prompt" | "control";

export declare class DamagedLogError extends Error {
    readonly name = "DamagedLogError";
    readonly position: number;
    constructor(position: number);
}

type DriverStatus = "idle" | "running" | "waiting" | "lost";

export interface EventLog {
    append(id: string, epoch: number, first: number, events: readonly UniversalEvent[]): Promise<AppendResult>;
    page(id: string, after: number, limit: number): Promise<readonly LogBatch[]>;
    head(id: string): Promise<LogHead | undefined>;
    watch(id: string, wake: () => void): () => void;
    acquire(id: string, owner: string, ttl: number, isSecondLook?: boolean): Promise<Lease | null | "orphan">;
    renew(id: string, owner: string, epoch: number, ttl: number): Promise<boolean>;
    release(id: string, owner: string, epoch: number): Promise<void>;
    send(id: string, command: LogCommand, hash: string, limits: SendLimits): Promise<SendResult>;
    take(id: string, epoch: number, kind: CommandKind, previous: string | undefined): Promise<LogCommand | undefined>;
    queue(id: string): Promise<readonly LogCommand[]>;
    withdraw(id: string, key: string): Promise<boolean>;
    edit(id: string, key: string, value: Json): Promise<boolean>;
    move(id: string, key: string, before: string | null): Promise<boolean>;
    put(id: string, epoch: number, name: LogEntryName, value: Json | undefined): Promise<boolean>;
    get(id: string, name: LogEntryName): Promise<Json | undefined>;
    trim(id: string, before: number): Promise<void>;
    remove(id: string): Promise<void>;
    list(options?: {
        readonly cursor?: string;
        readonly waiting?: boolean;
    }): Promise<{
        readonly ids: readonly string[];
        readonly cursor?: string;
    }>;
    close(): Promise<void>;
}

export interface Lease extends LogHead {
    readonly epoch: number;
}

export interface LogBatch {
    readonly log: string;
    readonly epoch: number;
    readonly last: number;
    readonly events: readonly UniversalEvent[];
}

export interface LogCommand {
    readonly key: string;
    readonly kind: CommandKind;
    readonly value: Json;
}

export type LogEntryName = "state" | "taken" | "snapshot";

export interface LogHead {
    readonly log: string;
    readonly head: number;
    readonly first: number;
}

export interface MemoryLogOptions {
    readonly clock?: Clock;
}

export interface Relay extends AsyncDisposable {
    readonly handler: (request: RelayRequest, context?: RelayContext | object) => Promise<RelayResponse>;
    readonly close: (options?: RelayCloseOptions) => Promise<void>;
}

export type RelayAction = "read" | "prompt" | "cancel" | "decide" | "answer" | "grant" | "resume" | "remove";

export interface RelayChatState extends ShownState {
    readonly head: number;
    readonly caught_up: true;
    readonly log: string;
    readonly heartbeat: number;
    readonly queue: readonly WaitingPrompt[];
}

export interface RelayCloseOptions {
    readonly drain?: number;
}

export interface RelayContext {
    readonly waitUntil?: (promise: Promise<unknown>) => void;
}

export interface RelayLimits {
    readonly maxBody: number;
    readonly bodyTimeout: number;
    readonly maxText: number;
    readonly maxImages: number;
    readonly maxQueued: number;
    readonly maxCommands: number;
    readonly maxViewers: number;
    readonly maxAllViewers: number;
    readonly maxDriven: number;
    readonly maxEventBytes: number;
    readonly maxFrameEvents: number;
    readonly maxFrameBytes: number;
    readonly tailBytes: number;
    readonly allTailBytes: number;
    readonly maxUnsaved: number;
    readonly maxUnsavedBytes: number;
    readonly viewerStall: number;
    readonly streamLife: number;
    readonly heartbeat: number;
    readonly lookEvery: number;
    readonly reauthorize: number;
    readonly leaseTtl: number;
    readonly sweepEvery: number;
    readonly idleAfter: number;
    readonly keyTtl: number;
    readonly retention: number;
    readonly turnTimeout: number;
    readonly unattendedTimeout: number;
}

export interface RelayOptions extends Partial<RelayLimits> {
    readonly source: (chat: string) => AgentSource | Promise<AgentSource>;
    readonly log: EventLog;
    readonly authorize: Authorize;
    readonly basePath?: string;
    readonly origins?: readonly string[] | "*";
    readonly credentials?: boolean;
    readonly hosts?: readonly string[];
    readonly redact?: (event: UniversalEvent) => UniversalEvent;
    readonly drive?: boolean;
    readonly waitUntil?: ((promise: Promise<unknown>) => void) | "request";
    readonly clock?: Clock;
    readonly newId?: (prefix: string) => string;
    readonly logger?: Logger;
}

export interface RelayQuestion {
    readonly chat: string;
    readonly action: RelayAction;
}

export type RelayRequest = typeof globalThis extends {
    Request: {
        prototype: infer Type;
    };
} ? Type : unknown;

export type RelayResponse = typeof globalThis extends {
    Response: {
        prototype: infer Type;
    };
} ? Type : unknown;

export interface RelayUser {
    readonly user: string;
}

export type RelayWish = {
    readonly type: "prompt";
    readonly input: string | PromptInput;
} | {
    readonly type: "withdraw";
    readonly target: string;
} | {
    readonly type: "cancel";
    readonly target: string | TurnTarget;
} | {
    readonly type: "decide";
    readonly session_id: string;
    readonly permission_id: string;
    readonly decision: Decision;
} | {
    readonly type: "answer";
    readonly session_id: string;
    readonly question_id: string;
    readonly answer: Answer;
} | {
    readonly type: "resume";
    readonly how?: "without-context" | "with-transcript";
} | {
    readonly type: "edit_queued";
    readonly target: string;
    readonly input: string | PromptInput;
} | {
    readonly type: "move_queued";
    readonly target: string;
    readonly before: string | null;
} | {
    readonly type: "send_now";
    readonly target: string;
} | {
    readonly type: "regenerate";
    readonly message_id: string;
} | {
    readonly type: "edit";
    readonly message_id: string;
    readonly input: string | PromptInput;
} | {
    readonly type: "select_branch";
    readonly message_id: string;
} | {
    readonly type: "revoke" | "set_mode" | "set_model";
    readonly id: string;
};

export interface SendLimits {
    readonly maxQueued: number;
    readonly keyTtl: number;
}

export type SendResult = "new" | "again" | "key-reused" | "full";

interface ShownState {
    readonly source: string | null;
    readonly capabilities: Capabilities | null;
    readonly driver: DriverStatus;
    readonly busy: boolean;
    readonly context_lost: boolean;
    readonly connection: Omit<ChatConnection, "contextLost">;
    readonly grants: readonly ChatGrant[];
}

export declare class TrimmedError extends Error {
    readonly name = "TrimmedError";
    readonly first: number;
    constructor(first: number);
}

export interface TurnTarget {
    readonly session_id: string;
    readonly turn_id: string;
}

export interface WaitingPrompt {
    readonly key: string;
    readonly at: string;
    readonly by: string;
    readonly input: PromptInput;
}

export declare function createRelay(options: RelayOptions): Relay;

export declare function memoryLog(options?: MemoryLogOptions): EventLog;
