// What `redisLog` calls of a client of the package `redis`.

/** The keys and arguments of a script. */
export interface RedisScriptInput {
  keys: string[];
  arguments: string[];
}

/**
 * A connected client of the package `redis`, version 6 (`createClient`), or an object with the same functions. The
 * caller owns it: `redisLog` never closes it.
 */
export interface RedisLogClient {
  info(): Promise<unknown>;
  scriptLoad(script: string): Promise<unknown>;
  evalSha(sha: string, input: RedisScriptInput): Promise<unknown>;
  eval(script: string, input: RedisScriptInput): Promise<unknown>;
  wait(replicas: number, timeout: number): Promise<unknown>;
  /** A second connection, for the wake-ups. */
  duplicate(): RedisLogSubscriber;
}

/** The second connection. Subscribes again by itself after a loss. */
export interface RedisLogSubscriber {
  on(event: "error" | "ready", listener: () => void): unknown;
  connect(): Promise<unknown>;
  sSubscribe(channel: string, listener: () => void): Promise<unknown>;
  sUnsubscribe(channel: string, listener: () => void): Promise<unknown>;
  destroy(): void;
}
