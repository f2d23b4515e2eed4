// agentwire/ag-ui

export declare const AG_UI_HEADERS: Readonly<Record<string, string>>;

export interface AgUiAgent {
    readonly run: (input: RunAgentInput, options?: AgUiRunOptions) => AsyncIterable<AgUiEvent>;
}

export type AgUiEvent = Event;

export interface AgUiRun {
    readonly threadId: string;
    readonly runId: string;
}

export interface AgUiRunOptions {
    readonly signal?: AbortSignal;
}

export declare function agUiAgent(chat: Chat): AgUiAgent;

export declare function encodeSse(events: AsyncIterable<AgUiEvent>): ReadableStream<Uint8Array>;

export declare function toAgUi(events: AsyncIterable<UniversalEvent>, run: AgUiRun): AsyncIterable<AgUiEvent>;
