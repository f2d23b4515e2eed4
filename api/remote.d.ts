// agentwire/remote

export declare class RemoteClient extends BaseClient<UniversalEvent, TurnResult, RemoteClientEvents> implements AgentClient<UniversalEvent, TurnResult, object, PromptInput>, Telling {
    #private;
    constructor(settings: RemoteSettings);
    get capabilities(): Capabilities;
    get inbox(): PromptInbox;
    prompt(input: string | PromptInput, options?: TurnOptions): RemoteTurn;
    cancel(turnId: string): void;
    conversation(options?: {
        readonly from?: ConversationState;
    }): RemoteConversation & Telling;
    universal(options?: UniversalOptions): UniversalStream;
    connect(options?: ConnectOptions): Promise<void>;
    close(options?: CloseOptions): Promise<void>;
}

export type RemoteClientEvents = ClientEvents<UniversalEvent, TurnResult>;

export interface RemoteConversation extends Conversation<UniversalEvent, TurnResult, object, PromptInput, RemoteState> {
    setMode(id: string): Promise<void>;
    setModel(id: string): Promise<void>;
}

export type RemoteHeaders = Readonly<Record<string, string>>;

export interface RemoteOptions {
    readonly url: string;
    readonly chat: string;
    readonly headers?: RemoteHeaders | (() => RemoteHeaders | Promise<RemoteHeaders>);
    readonly fetch?: FetchLike;
    readonly credentials?: "include" | "same-origin" | "omit";
    readonly outbox?: "memory" | "local";
    readonly allowInsecure?: boolean;
    readonly clock?: Clock;
}

interface RemoteSettings extends Omit<RemoteOptions, "headers" | "url" | "credentials"> {
    readonly address: string;
    readonly headers: () => RemoteHeaders | Promise<RemoteHeaders>;
    readonly credentials: FetchInit["credentials"];
    readonly outbox: "memory" | "local";
    readonly clock: Clock;
}

export interface RemoteState extends ConversationState {
    readonly protocol: "relay";
    readonly version: 1;
    readonly position?: string;
}

export type RemoteTurn = Turn<UniversalEvent, TurnResult>;

export declare function remote(options: RemoteOptions): AgentSource<RemoteClient>;
