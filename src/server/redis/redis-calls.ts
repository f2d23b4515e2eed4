// Runs the scripts of a Redis log, after a check of the server.
import { UnsupportedError } from "../../core/errors.ts";
import { isOlder } from "../../core/peers.ts";
import type { RedisLogClient } from "./redis-client.ts";

/** How many replicas must have a write before its call resolves. */
export interface RedisWait {
  readonly replicas: number;
  /** ms to wait for them. Then the call rejects, and may have worked. */
  readonly ms: number;
}

const OLDEST = "7.0";

export class RedisCalls {
  readonly #client: RedisLogClient;
  readonly #wait: RedisWait | undefined;
  /** Set after the first call. A failed check is made again by the next call. */
  #checked: Promise<void> | undefined;
  /** The names that Redis gave to the scripts. */
  readonly #names = new Map<string, Promise<string>>();

  constructor(client: RedisLogClient, wait: RedisWait | undefined) {
    this.#client = client;
    this.#wait = wait;
  }

  /** Runs a script that only reads. */
  async read(script: string, keys: readonly string[], ...values: readonly string[]): Promise<ScriptReply> {
    await this.#check();
    return this.#run(script, keys, values, undefined);
  }

  /** Runs a script that may write. With `wait` the replicas have the write when it resolves. */
  async write(script: string, keys: readonly string[], ...values: readonly string[]): Promise<ScriptReply> {
    await this.#check();
    return this.#run(script, keys, values, this.#wait);
  }

  async #run(
    script: string,
    keys: readonly string[],
    values: readonly string[],
    wait: RedisWait | undefined,
  ): Promise<ScriptReply> {
    const input = { keys: [...keys], arguments: [...values] };
    const name = await this.#nameOf(script);
    try {
      return await this.#confirmed(this.#client.evalSha(name, input), wait);
    } catch (error) {
      // The server has restarted, or another one has taken over: nothing has run.
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return this.#confirmed(this.#client.eval(script, input), wait);
    }
  }

  /**
   * `WAIT` counts the writes of its own connection, so it must follow the script at once: behind a loss of the link it would
   * confirm another connection, which has written nothing.
   */
  async #confirmed(running: Promise<unknown>, wait: RedisWait | undefined): Promise<ScriptReply> {
    if (!wait) return new ScriptReply(await running);
    const [reply, count] = await Promise.all([running, this.#client.wait(wait.replicas, wait.ms)]);
    if (Number(count) >= wait.replicas) return new ScriptReply(reply);
    throw new Error(`only ${Number(count)} of ${wait.replicas} replicas had the write within ${wait.ms} ms`);
  }

  #nameOf(script: string): Promise<string> {
    const known = this.#names.get(script);
    if (known) return known;
    const name = this.#client.scriptLoad(script).then((sha) => textOf(sha));
    this.#names.set(script, name);
    name.catch(() => this.#names.delete(script)); // the caller gets the error; the next call loads it again
    return name;
  }

  #check(): Promise<void> {
    if (!this.#checked) {
      const checked = this.#checkServer();
      checked.catch(() => {
        this.#checked = undefined; // the caller gets the error
      });
      this.#checked = checked;
    }
    return this.#checked;
  }

  async #checkServer(): Promise<void> {
    const info = textOf(await this.#client.info());
    const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? "unknown";
    if (isOlder(version, OLDEST))
      throw new UnsupportedError(
        `the version of the Redis server is ${version}.`,
        `Use ${OLDEST} or later, or Valkey.`,
      );
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? "noeviction";
    if (policy !== "noeviction")
      throw new UnsupportedError(
        `the Redis server may remove chats: its \`maxmemory-policy\` is ${policy}.`,
        "Set it to `noeviction`.",
      );
  }
}

/** The answer of a script: a list of texts. */
export class ScriptReply {
  readonly texts: readonly (string | null)[];

  constructor(reply: unknown) {
    if (!Array.isArray(reply)) throw new TypeError("a script of the log did not answer with a list");
    this.texts = reply.map((each: unknown) => (each === null ? null : textOf(each)));
  }

  /** Whether the script answered with nothing. */
  get isEmpty(): boolean {
    return this.texts.length === 0;
  }

  /** Whether the script answered `1`. */
  get isTrue(): boolean {
    return this.texts[0] === "1";
  }

  text(at: number): string {
    return this.texts[at] ?? "";
  }

  number(at: number): number {
    return Number(this.text(at));
  }
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("the Redis client did not answer with text: pass one that maps no types");
}
