// agentwire/server/redis

export interface RedisLogClient {
    info(): Promise<unknown>;
    scriptLoad(script: string): Promise<unknown>;
    evalSha(sha: string, input: RedisScriptInput): Promise<unknown>;
    eval(script: string, input: RedisScriptInput): Promise<unknown>;
    wait(replicas: number, timeout: number): Promise<unknown>;
    duplicate(): RedisLogSubscriber;
}

export interface RedisLogOptions {
    readonly prefix?: string;
    readonly wait?: RedisWait;
}

export interface RedisLogSubscriber {
    on(event: "error" | "ready", listener: () => void): unknown;
    connect(): Promise<unknown>;
    sSubscribe(channel: string, listener: () => void): Promise<unknown>;
    sUnsubscribe(channel: string, listener: () => void): Promise<unknown>;
    destroy(): void;
}

export interface RedisScriptInput {
    keys: string[];
    arguments: string[];
}

export interface RedisWait {
    readonly replicas: number;
    readonly ms: number;
}

export declare function redisLog(client: RedisLogClient, options?: RedisLogOptions): EventLog;
