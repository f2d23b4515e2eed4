// agentwire/codebuff-run/tools

interface AgentProblem {
    readonly file: string;
    readonly kind: "skipped" | "refused" | "invalid" | "ignored";
    readonly message: string;
}

export interface Change {
    readonly path: string;
    readonly action: "add" | "update" | "delete";
    readonly diff: string;
    readonly isRevertible: boolean;
}

interface Conflict {
    readonly path: string;
    readonly reason: string;
}

type FileFilter = (path: string) => {
    readonly status: Status;
} | Promise<{
    readonly status: Status;
}>;

export interface LoadAgentsOptions {
    readonly allowCode?: boolean;
}

export interface LoadedAgents {
    readonly agents: readonly AgentDefinition[];
    readonly problems: readonly AgentProblem[];
}

export interface McpAddress {
    readonly type?: "http" | "sse";
    readonly url: string | URL;
    readonly params?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
}

interface McpLimits {
    readonly startTimeout: number;
    readonly listTimeout: number;
    readonly callTimeout: number;
}

export interface McpOptions extends Partial<McpLimits> {
    readonly startTimeout?: number;
    readonly listTimeout?: number;
    readonly callTimeout?: number;
    readonly cwd?: string;
    readonly environment?: (env: Readonly<Record<string, string>>) => Readonly<Record<string, string | undefined>>;
    readonly allowInsecure?: boolean;
    readonly fetch?: typeof globalThis.fetch;
}

export interface McpProgram {
    readonly type?: "stdio";
    readonly command: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
}

export type McpServerConfig = McpProgram | McpAddress;

export interface NodeProjectOptions {
    readonly tree?: boolean;
    readonly knowledge?: boolean;
    readonly system?: boolean;
    readonly git?: boolean;
}

export interface NodeTerminalOptions {
    readonly env?: Readonly<Record<string, string>>;
    readonly inheritEnv?: boolean;
    readonly keepEnv?: readonly string[];
    readonly shell?: string;
    readonly maxTimeoutSeconds?: number;
}

type NodeToolCall = Pick<ToolCall, "name" | "input" | "turnId"> & Partial<Pick<ToolCall, "id">>;

export interface NodeToolChanges {
    list(): readonly Change[];
    revert(): Promise<Reverted>;
}

export interface NodeToolHandler {
    (call: NodeToolCall, context: {
        readonly signal: AbortSignal;
        readonly onProgress?: (output: string) => void;
    }): Promise<readonly ToolOutput[]>;
    readonly preview?: (call: NodeToolCall, context: {
        readonly signal: AbortSignal;
    }) => Promise<readonly ToolPreview[] | undefined>;
    readonly readOnly?: boolean;
}

export interface NodeTools extends PromptFiles {
    readonly handlers: Readonly<Record<string, NodeToolHandler>>;
    readonly names: readonly string[];
    readonly project: ReadProject;
    readonly readFiles: (paths: readonly string[]) => Promise<Readonly<Record<string, string | null>>>;
    preview(call: NodeToolCall): Promise<string | undefined>;
    changes(turn: string | {
        readonly id: string;
    }): NodeToolChanges;
    close(): Promise<void>;
}

export interface NodeToolsOptions {
    readonly root: string;
    readonly write?: boolean;
    readonly terminal?: boolean | NodeTerminalOptions;
    readonly searchFlags?: boolean;
    readonly ripgrepPath?: string;
    readonly fileFilter?: FileFilter;
    readonly ignoreFiles?: boolean;
    readonly project?: NodeProjectOptions;
    readonly allowEnvFiles?: boolean;
}

interface Reverted {
    readonly reverted: readonly string[];
    readonly conflicts: readonly Conflict[];
}

type Status = "allow" | "blocked" | "allow-example";

export declare function loadAgents(dir: string, options?: LoadAgentsOptions): Promise<LoadedAgents>;

export declare function mcpServers(servers: Readonly<Record<string, McpServerConfig>>, options?: McpOptions): readonly ToolSource[];

export declare function nodeTools(options: NodeToolsOptions): NodeTools;
