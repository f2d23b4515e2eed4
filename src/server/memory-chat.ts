// One chat of `memoryLog`.
import { randomId } from "../core/random-id.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { CommandKind, LogCommand, LogEntryName, LogHead } from "./event-log.ts";
import { moved, readCommand, takenJson } from "./log-format.ts";

interface Batch {
  readonly epoch: number;
  readonly last: number;
  readonly events: readonly UniversalEvent[];
}

interface HeldLease {
  readonly owner: string;
  readonly epoch: number;
  /** The time of the clock's `now()`. */
  readonly until: number;
}

/** JSON by key, oldest first. */
type Inbox = Map<string, string>;

export class MemoryChat {
  readonly log = randomId("log");
  head = 0;
  first = 1;
  /** Undefined: released, or never acquired. A lease that ran out stays. */
  lease: HeldLease | undefined;
  /** JSON by name. */
  readonly entries = new Map<LogEntryName, string>();
  readonly #batches: Batch[] = [];
  readonly #inboxes: Record<CommandKind, Inbox> = { prompt: new Map(), control: new Map() };
  /** The command of each kind that was taken last. */
  readonly #given = new Map<CommandKind, { readonly epoch: number; readonly command: LogCommand }>();
  readonly #keys = new Map<string, { readonly hash: string; readonly until: number }>();

  get bounds(): LogHead {
    const { log, head, first } = this;
    return { log, head, first };
  }

  get isWaiting(): boolean {
    return this.#inboxes.prompt.size + this.#inboxes.control.size > 0;
  }

  isCurrent(epoch: number, owner = this.lease?.owner): boolean {
    return this.lease?.epoch === epoch && this.lease.owner === owner;
  }

  add(epoch: number, events: readonly UniversalEvent[]): void {
    this.head += events.length;
    this.#batches.push({ epoch, last: this.head, events: [...events] });
  }

  hasBatch(epoch: number, first: number, length: number): boolean {
    const batch = this.#batches[this.#indexAfter(first - 1)];
    return batch?.epoch === epoch && batch.last === first + length - 1 && batch.events.length === length;
  }

  *batchesAfter(after: number): Iterable<Batch> {
    let at = this.#indexAfter(after);
    for (let batch = this.#batches[at]; batch; batch = this.#batches[++at]) yield batch;
  }

  trim(before: number): void {
    this.#batches.splice(0, this.#indexAfter(before - 1));
    const [oldest] = this.#batches;
    this.first = oldest ? oldest.last - oldest.events.length + 1 : this.head + 1;
  }

  inbox(kind: CommandKind): Inbox {
    return this.#inboxes[kind];
  }

  /** The hash of a command with this key, if the key is remembered. */
  knownHash(key: string, now: number): string | undefined {
    const known = this.#keys.get(key);
    return known && known.until > now ? known.hash : undefined;
  }

  hasWaiting(key: string): boolean {
    return this.#inboxes.prompt.has(key) || this.#inboxes.control.has(key);
  }

  remember(key: string, hash: string, now: number, ttl: number): void {
    for (const [oldest, { until }] of this.#keys) {
      if (until > now) break; // the others are younger, if all have one ttl
      this.#keys.delete(oldest);
    }
    this.#keys.delete(key);
    this.#keys.set(key, { hash, until: now + ttl });
  }

  /** The command that this epoch took last, unless the owner knows it. */
  givenAgain(epoch: number, kind: CommandKind, previous: string | undefined): LogCommand | undefined {
    const given = this.#given.get(kind);
    return given?.epoch === epoch && given.command.key !== previous ? given.command : undefined;
  }

  take(epoch: number, kind: CommandKind): LogCommand | undefined {
    const inbox = this.#inboxes[kind];
    for (const [key, json] of inbox) {
      inbox.delete(key);
      const command = readCommand(kind, { key, json });
      this.#given.set(kind, { epoch, command });
      if (kind === "prompt") this.entries.set("taken", takenJson({ key, json }));
      return command;
    }
    return undefined;
  }

  queue(): readonly LogCommand[] {
    return [...this.#inboxes.prompt].map(([key, json]) => readCommand("prompt", { key, json }));
  }

  move(key: string, before: string | null): boolean {
    const inbox = this.#inboxes.prompt;
    const keys = moved([...inbox.keys()], key, before);
    if (!keys) return false;
    const values = new Map(inbox);
    inbox.clear();
    for (const each of keys) inbox.set(each, values.get(each) ?? "");
    return true;
  }

  /** The index of the first batch with an event after a position. */
  #indexAfter(position: number): number {
    let low = 0;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#batches[middle]?.last ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
