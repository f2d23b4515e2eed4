// agentwire/otel

export interface TelemetryOptions {
    readonly tracer?: Tracer;
    readonly meter?: Meter;
    readonly content?: boolean;
}

export declare function withTelemetry<Client extends AnyAgentClient>(source: AgentSource<Client>, options?: TelemetryOptions): AgentSource<Client>;
