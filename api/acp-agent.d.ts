// agentwire/acp/agent

export interface AcpAgentClient {
    readonly name?: string;
    readonly title?: string;
    readonly version?: string;
    readonly capabilities: Readonly<Record<string, unknown>>;
}

export interface AcpAgentConnection {
    readonly closed: Promise<void>;
    close(): Promise<void>;
}

export interface AcpAgentMcpServer {
    readonly name: string;
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
}

export interface AcpAgentOptions {
    readonly store?: ChatStore;
    readonly name?: string;
    readonly title?: string;
    readonly version?: string;
    readonly images?: boolean;
    readonly maxSessions?: number;
    readonly maxToolOutput?: number;
    readonly closeTimeout?: number;
    readonly clock?: Pick<Clock, "wallTime" | "setTimeout">;
}

export interface AcpAgentServer {
    connect(stream: AcpAgentStream): Promise<AcpAgentConnection>;
    stdio(): Promise<void>;
}

export interface AcpAgentSession {
    readonly id: string;
    readonly cwd: string;
    readonly additionalDirectories: readonly string[];
    readonly mcpServers: readonly AcpAgentMcpServer[];
    readonly client: AcpAgentClient;
}

export type AcpAgentSourceOf = (session: AcpAgentSession) => AgentSource | Promise<AgentSource>;

export interface AcpAgentStream {
    readonly readable: ReadableStream<unknown>;
    readonly writable: WritableStream<unknown>;
}

export declare function acpAgent(sourceOf: AcpAgentSourceOf, options?: AcpAgentOptions): AcpAgentServer;
