// `memoryLog`: keeps chats in the memory of one process.
import { checkCallOptions, checks } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import type { UniversalEvent } from "../universal/events.ts";
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
} from "./event-log.ts";
import { checkBatch, checkKey, checkLogId, cutBatch, jsonOf, logClosed } from "./log-format.ts";
import { MemoryChat } from "./memory-chat.ts";
import { Watchers } from "./watchers.ts";

/** Options of {@link memoryLog}. */
export interface MemoryLogOptions {
  /** Measures leases and how long keys are remembered. @default the platform's clock */
  readonly clock?: Clock;
}

const OPTIONS = { clock: checks.object };

/**
 * Keeps chats in memory, for one process: for tests, and servers that may forget. The end of the process loses all.
 * @throws InvalidInputError for an unknown option
 */
export function memoryLog(options?: MemoryLogOptions): EventLog {
  checkCallOptions<MemoryLogOptions, typeof OPTIONS>(options, OPTIONS);
  return new MemoryLog(options?.clock ?? systemClock);
}

class MemoryLog implements EventLog {
  readonly #clock: Clock;
  readonly #watchers = new Watchers();
  readonly #chats = new Map<string, MemoryChat>();
  /** The last epoch of any chat, so that none repeats when a chat is removed and made anew. */
  #epoch = 0;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async append(
    id: string,
    epoch: number,
    first: number,
    events: readonly UniversalEvent[],
  ): Promise<AppendResult> {
    checkBatch(events);
    const chat = this.#find(id);
    const head = chat?.head ?? 0;
    if (!chat?.isCurrent(epoch)) return { ok: false, why: "fenced", head };
    if (first === head + 1) {
      chat.add(epoch, events);
      this.#watchers.wake(id);
      return { ok: true };
    }
    if (chat.hasBatch(epoch, first, events.length)) return { ok: true, again: true };
    return { ok: false, why: "conflict", head };
  }

  async page(id: string, after: number, limit: number): Promise<readonly LogBatch[]> {
    const chat = this.#find(id);
    if (!chat || after >= chat.head) return [];
    if (after + 1 < chat.first) throw new TrimmedError(chat.first);
    const page: LogBatch[] = [];
    let count = 0;
    for (const { epoch, last, events } of chat.batchesAfter(after)) {
      const cut = cutBatch({ log: chat.log, epoch, last, events }, after);
      page.push(cut);
      count += cut.events.length;
      if (count >= limit) break;
    }
    return page;
  }

  async head(id: string): Promise<LogHead | undefined> {
    return this.#find(id)?.bounds;
  }

  watch(id: string, wake: () => void): () => void {
    checkLogId(id);
    return this.#isClosed ? () => {} : this.#watchers.add(id, wake);
  }

  async acquire(
    id: string,
    owner: string,
    ttl: number,
    isSecondLook = false,
  ): Promise<Lease | null | "orphan"> {
    const chat = this.#findOrMake(id);
    const { lease } = chat;
    if (lease && lease.until > this.#clock.now()) return null;
    if (lease && !isSecondLook) return "orphan";
    const epoch = ++this.#epoch;
    chat.lease = { owner, epoch, until: this.#clock.now() + ttl };
    return { ...chat.bounds, epoch };
  }

  async renew(id: string, owner: string, epoch: number, ttl: number): Promise<boolean> {
    const chat = this.#find(id);
    if (!chat?.isCurrent(epoch, owner)) return false;
    chat.lease = { owner, epoch, until: this.#clock.now() + ttl };
    return true;
  }

  async release(id: string, owner: string, epoch: number): Promise<void> {
    const chat = this.#find(id);
    if (!chat?.isCurrent(epoch, owner)) return;
    chat.lease = undefined;
    this.#watchers.wake(id);
  }

  async send(id: string, command: LogCommand, hash: string, limits: SendLimits): Promise<SendResult> {
    const { key, kind, value } = command;
    checkKey(key);
    const json = jsonOf(value);
    const known = this.#find(id)?.knownHash(key, this.#clock.now());
    if (known !== undefined) return known === hash ? "again" : "key-reused";
    if (this.#find(id)?.hasWaiting(key)) return "again";
    if ((this.#find(id)?.inbox(kind).size ?? 0) >= limits.maxQueued) return "full";
    const chat = this.#findOrMake(id);
    chat.remember(key, hash, this.#clock.now(), limits.keyTtl);
    chat.inbox(kind).set(key, json);
    this.#watchers.wake(id);
    return "new";
  }

  async take(
    id: string,
    epoch: number,
    kind: CommandKind,
    previous: string | undefined,
  ): Promise<LogCommand | undefined> {
    const chat = this.#find(id);
    if (!chat?.isCurrent(epoch)) return undefined;
    const again = chat.givenAgain(epoch, kind, previous);
    if (again) return again;
    const command = chat.take(epoch, kind);
    if (command) this.#watchers.wake(id);
    return command;
  }

  async queue(id: string): Promise<readonly LogCommand[]> {
    return this.#find(id)?.queue() ?? [];
  }

  async withdraw(id: string, key: string): Promise<boolean> {
    return this.#wakeIf(id, this.#find(id)?.inbox("prompt").delete(key));
  }

  async edit(id: string, key: string, value: unknown): Promise<boolean> {
    const json = jsonOf(value);
    const inbox = this.#find(id)?.inbox("prompt");
    if (!inbox?.has(key)) return false;
    inbox.set(key, json);
    return this.#wakeIf(id, true);
  }

  async move(id: string, key: string, before: string | null): Promise<boolean> {
    return this.#wakeIf(id, this.#find(id)?.move(key, before));
  }

  async put(id: string, epoch: number, name: LogEntryName, value: unknown): Promise<boolean> {
    const json = value === undefined ? undefined : jsonOf(value);
    const chat = this.#find(id);
    if (!chat?.isCurrent(epoch)) return false;
    if (json === undefined) chat.entries.delete(name);
    else chat.entries.set(name, json);
    return true;
  }

  async get(id: string, name: LogEntryName): Promise<unknown> {
    const json = this.#find(id)?.entries.get(name);
    return json === undefined ? undefined : JSON.parse(json);
  }

  async trim(id: string, before: number): Promise<void> {
    this.#find(id)?.trim(before);
  }

  async remove(id: string): Promise<void> {
    this.#find(id);
    if (this.#chats.delete(id)) this.#watchers.wake(id);
  }

  async list(options: { readonly waiting?: boolean } = {}): Promise<{ readonly ids: readonly string[] }> {
    if (this.#isClosed) throw logClosed();
    const all = [...this.#chats].filter(([, chat]) => !options.waiting || chat.isWaiting);
    return { ids: all.map(([id]) => id) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watchers.clear();
    this.#chats.clear();
  }

  #find(id: string): MemoryChat | undefined {
    checkLogId(id);
    if (this.#isClosed) throw logClosed();
    return this.#chats.get(id);
  }

  #findOrMake(id: string): MemoryChat {
    const chat = this.#find(id) ?? new MemoryChat();
    this.#chats.set(id, chat);
    return chat;
  }

  #wakeIf(id: string, isChanged: boolean | undefined): boolean {
    if (isChanged) this.#watchers.wake(id);
    return isChanged ?? false;
  }
}
