// `redisLog`: keeps chats in Redis, for servers on several machines.
import { type Check, checkCallOptions, checks, describe, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { randomId } from "../../core/random-id.ts";
import type { Json, UniversalEvent } from "../../universal/events.ts";
import {
  type AppendResult,
  type CommandKind,
  type EventLog,
  type Lease,
  type LogBatch,
  type LogCommand,
  type LogEntryName,
  type LogHead,
  type SendLimits,
  type SendResult,
  TrimmedError,
} from "../event-log.ts";
import { batchJson, checkKey, checkLogId, jsonOf, logClosed, readBatch, readCommand } from "../log-format.ts";
import { RedisCalls, type RedisWait, type ScriptReply } from "./redis-calls.ts";
import type { RedisLogClient } from "./redis-client.ts";
import { RedisIndex } from "./redis-index.ts";
import { RedisWakes } from "./redis-wakes.ts";
import * as scripts from "./scripts.ts";

/** Options of {@link redisLog}. */
export interface RedisLogOptions {
  /** The begin of all keys, without braces. Logs with different ones share nothing. @default "aw" */
  readonly prefix?: string;
  /**
   * Waits for replicas after each write, a fraction of a millisecond. Without it, a failover may lose what was written just
   * before: events, which a living driver writes again, and prompts, which are gone. It does not help if a replica without these
   * writes is promoted.
   *
   * Redis itself needs `appendonly yes`: otherwise its restart loses all chats. With `appendfsync everysec` a power cut may lose up
   * to a second.
   * @default does not wait
   */
  readonly wait?: RedisWait;
}

const WAIT: Check = { ...checks.object, fields: { replicas: checks.count, ms: checks.delay } };
/** Redis chooses the slot of a key by what stands in its first braces. */
const PREFIX: Check = {
  expects: "a string that is not blank, without braces",
  holds: (value) => checks.text.holds(value) && !/[{}]/.test(String(value)),
};
const OPTIONS = { prefix: PREFIX, wait: WAIT };

/**
 * Keeps chats in Redis 7.0 or later, or in Valkey, for any number of servers. Leases run by the clock of Redis. The
 * first call checks the server: it rejects with an `UnsupportedError` if the server is older, or if its
 * `maxmemory-policy` lets it remove chats.
 *
 * @param client of the package `redis`, connected. The log opens a second connection for wake-ups, and never closes
 * `client`
 * @throws InvalidInputError for an unknown option
 */
export function redisLog(client: RedisLogClient, options?: RedisLogOptions): EventLog {
  if (!isObject(client) || typeof client["evalSha"] !== "function")
    throw new InvalidInputError(
      `the client is ${describe(client)}.`,
      "Pass a client of the package `redis`: `await createClient().connect()`.",
    );
  checkCallOptions<RedisLogOptions, typeof OPTIONS>(options, OPTIONS);
  return new RedisLog(client, options ?? {});
}

class RedisLog implements EventLog {
  readonly #prefix: string;
  readonly #calls: RedisCalls;
  readonly #wakes: RedisWakes;
  readonly #index: RedisIndex;
  #isClosed = false;

  constructor(client: RedisLogClient, { prefix = "aw", wait }: RedisLogOptions) {
    this.#prefix = prefix;
    this.#calls = new RedisCalls(client, wait);
    this.#wakes = new RedisWakes(client);
    this.#index = new RedisIndex(this.#calls, prefix, (id) => this.#keys(id));
  }

  async append(
    id: string,
    epoch: number,
    first: number,
    events: readonly UniversalEvent[],
  ): Promise<AppendResult> {
    const range = [String(first), String(first + events.length - 1)];
    const reply = await this.#write(scripts.APPEND_SCRIPT, id, String(epoch), ...range, batchJson(events));
    switch (reply.text(0)) {
      case "ok":
        return { ok: true };
      case "again":
        return { ok: true, again: true };
      default:
        return {
          ok: false,
          why: reply.text(0) === "fenced" ? "fenced" : "conflict",
          head: reply.number(1),
        };
    }
  }

  async page(id: string, after: number, limit: number): Promise<readonly LogBatch[]> {
    const reply = await this.#read(scripts.PAGE_SCRIPT, id, String(after), String(limit));
    if (reply.isEmpty) return [];
    const log = reply.text(0);
    if (log === "") throw new TrimmedError(reply.number(1));
    const page: LogBatch[] = [];
    for (let at = 1; at < reply.texts.length; at += 4) {
      const [last, epoch, first] = [reply.number(at), reply.number(at + 1), reply.number(at + 2)];
      const batch = { epoch, first, last, json: reply.text(at + 3) };
      page.push(readBatch(log, batch, after));
    }
    return page;
  }

  async head(id: string): Promise<LogHead | undefined> {
    const reply = await this.#read(scripts.HEAD_SCRIPT, id);
    return reply.isEmpty ? undefined : boundsAt(reply, 0);
  }

  watch(id: string, wake: () => void): () => void {
    checkLogId(id);
    if (this.#isClosed) return () => {};
    return this.#wakes.watch(id, `${this.#key(id)}:wake`, wake);
  }

  async acquire(
    id: string,
    owner: string,
    ttl: number,
    isSecondLook = false,
  ): Promise<Lease | null | "orphan"> {
    for (let mark = ""; ; mark = await this.#index.mark(id, false)) {
      const values = [owner, ms(ttl), isSecondLook ? "1" : "0", randomId("log"), mark];
      const reply = await this.#write(scripts.ACQUIRE_SCRIPT, id, ...values);
      switch (reply.text(0)) {
        case "lease":
          return { ...boundsAt(reply, 2), epoch: reply.number(1) };
        case "orphan":
          return "orphan";
        case "held":
          return null;
      }
    }
  }

  async renew(id: string, owner: string, epoch: number, ttl: number): Promise<boolean> {
    return (await this.#write(scripts.RENEW_SCRIPT, id, owner, String(epoch), ms(ttl))).isTrue;
  }

  async release(id: string, owner: string, epoch: number): Promise<void> {
    await this.#write(scripts.RELEASE_SCRIPT, id, owner, String(epoch));
  }

  async send(id: string, command: LogCommand, hash: string, limits: SendLimits): Promise<SendResult> {
    const { key, kind, value } = command;
    checkKey(key);
    const json = jsonOf(value);
    const keys = [...this.#keys(id), `${this.#key(id)}:key:${key}`];
    for (;;) {
      const mark = await this.#index.mark(id, true);
      const values = [
        kind,
        key,
        json,
        hash,
        String(limits.maxQueued),
        ms(limits.keyTtl),
        randomId("log"),
        mark,
      ];
      const result = (await this.#calls.write(scripts.SEND_SCRIPT, keys, ...values)).text(0);
      if (result === "new" || result === "again" || result === "key-reused" || result === "full")
        return result;
    }
  }

  async take(
    id: string,
    epoch: number,
    kind: CommandKind,
    previous: string | undefined,
  ): Promise<LogCommand | undefined> {
    const reply = await this.#write(scripts.TAKE_SCRIPT, id, String(epoch), kind, previous ?? "");
    return commandsIn(reply, kind)[0];
  }

  async queue(id: string): Promise<readonly LogCommand[]> {
    return commandsIn(await this.#read(scripts.QUEUE_SCRIPT, id), "prompt");
  }

  async withdraw(id: string, key: string): Promise<boolean> {
    return (await this.#write(scripts.WITHDRAW_SCRIPT, id, key)).isTrue;
  }

  async edit(id: string, key: string, value: Json): Promise<boolean> {
    return (await this.#write(scripts.EDIT_SCRIPT, id, key, jsonOf(value))).isTrue;
  }

  async move(id: string, key: string, before: string | null): Promise<boolean> {
    return (await this.#write(scripts.MOVE_SCRIPT, id, key, before ?? "")).isTrue;
  }

  async put(id: string, epoch: number, name: LogEntryName, value: Json | undefined): Promise<boolean> {
    const json = value === undefined ? [] : [jsonOf(value)];
    return (await this.#write(scripts.PUT_SCRIPT, id, String(epoch), name, ...json)).isTrue;
  }

  async get(id: string, name: LogEntryName): Promise<Json | undefined> {
    const [json] = (await this.#read(scripts.GET_SCRIPT, id, name)).texts;
    return typeof json === "string" ? JSON.parse(json) : undefined;
  }

  async trim(id: string, before: number): Promise<void> {
    if (before > 1) await this.#write(scripts.TRIM_SCRIPT, id, String(before));
  }

  async remove(id: string): Promise<void> {
    await this.#write(scripts.REMOVE_SCRIPT, id);
  }

  async list(options: { readonly cursor?: string; readonly waiting?: boolean } = {}): Promise<{
    readonly ids: readonly string[];
    readonly cursor?: string;
  }> {
    if (this.#isClosed) throw logClosed();
    return this.#index.page(options.cursor ?? "0", options.waiting ?? false);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wakes.close();
  }

  #read(script: string, id: string, ...values: readonly string[]): Promise<ScriptReply> {
    return this.#calls.read(script, this.#keys(id), ...values);
  }

  #write(script: string, id: string, ...values: readonly string[]): Promise<ScriptReply> {
    return this.#calls.write(script, this.#keys(id), ...values);
  }

  /** The keys of a chat, in the order of the scripts. They share a slot of a cluster. */
  #keys(id: string): readonly string[] {
    checkLogId(id);
    if (this.#isClosed) throw logClosed();
    const key = this.#key(id);
    return ["meta", "log", "lease", "in-prompt", "in-control", "in-values", "wake"].map(
      (name) => `${key}:${name}`,
    );
  }

  /** Encoded, because a brace in the id would end the part that chooses the slot. */
  #key(id: string): string {
    return `${this.#prefix}:{${encodeURIComponent(id)}}`;
  }
}

/** Whole ms, at least 1: Redis takes no others. */
function ms(delay: number): string {
  return String(Math.max(1, Math.ceil(delay)));
}

function boundsAt(reply: ScriptReply, at: number): LogHead {
  return { log: reply.text(at), head: reply.number(at + 1), first: reply.number(at + 2) };
}

function commandsIn(reply: ScriptReply, kind: CommandKind): readonly LogCommand[] {
  const commands: LogCommand[] = [];
  for (let at = 0; at < reply.texts.length; at += 2)
    commands.push(readCommand(kind, { key: reply.text(at), json: reply.text(at + 1) }));
  return commands;
}
