// A log in memory that fails, loses replies, loses events and is replaced, as a test asks for it.
import type { EventLog, LogBatch, LogHead } from "agentwire/server";
import { type MemoryLogOptions, memoryLog } from "agentwire/server";
import type { UniversalEvent } from "agentwire/universal";

type Name = keyof EventLog;

/** The events of one chat, in place of those of the log in memory. */
interface Kept {
  readonly log: string;
  epoch: number | undefined;
  batches: readonly {
    readonly epoch: number;
    readonly first: number;
    readonly events: readonly UniversalEvent[];
  }[];
}

export class BrokenLog {
  #inner: EventLog;
  readonly #kept = new Map<string, Kept>();
  #failing = new Set<string>();
  #losing = new Set<string>();
  readonly #waiting = new Set<() => void>();
  /** How often each function was called, and how often it has failed. */
  readonly calls = new Map<string, number>();
  readonly failures = new Map<string, number>();
  /** The log, as a relay takes it. */
  readonly log: EventLog;

  constructor(options: MemoryLogOptions = {}) {
    this.#inner = memoryLog(options);
    this.log = new Proxy({} as EventLog, {
      get:
        (_, name: Name) =>
        (...args: unknown[]) =>
          this.#call(name, args),
    });
  }

  /** From now on, calls of these functions reject without an effect. */
  fail(...names: readonly Name[]): void {
    this.#failing = new Set(names);
  }

  /** From now on, calls of these functions work and then reject. */
  lose(...names: readonly Name[]): void {
    this.#losing = new Set(names);
  }

  mend(): void {
    this.#failing.clear();
    this.#losing.clear();
  }

  /** Resolves after this many more failed calls. */
  async failed(name: Name, times: number): Promise<void> {
    const until = (this.failures.get(name) ?? 0) + times;
    while ((this.failures.get(name) ?? 0) < until)
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** The log loses the batches behind a position. */
  rollBack(id: string, head: number): void {
    const kept = this.#kept.get(id);
    if (kept) kept.batches = kept.batches.filter(({ first, events }) => first + events.length - 1 <= head);
  }

  /** Another log stands in its place. */
  replace(log: EventLog): void {
    this.#inner = log;
    this.#kept.clear();
  }

  #call(name: Name, args: readonly unknown[]): unknown {
    count(this.calls, name);
    if (this.#failing.has(name)) return Promise.reject(this.#failure(name));
    const result = this.#run(name, args);
    if (!this.#losing.has(name)) return result;
    return Promise.resolve(result).then(() => {
      throw this.#failure(name);
    });
  }

  #failure(name: Name): Error {
    count(this.failures, name);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
    return new Error(`the log is down: ${name}`);
  }

  async #append(id: string, epoch: number, first: number, events: readonly UniversalEvent[]) {
    const kept = this.#kept.get(id);
    const head = headOf(kept);
    if (!kept || kept.epoch !== epoch) return { ok: false, why: "fenced", head };
    const isSame = kept.batches.some(
      (batch) => batch.epoch === epoch && batch.first === first && batch.events.length === events.length,
    );
    if (isSame) return { ok: true, again: true };
    if (first !== head + 1) return { ok: false, why: "conflict", head };
    kept.batches = [...kept.batches, { epoch, first, events }];
    // The log in memory wakes its watchers.
    await this.#inner.append(id, epoch, ((await this.#inner.head(id))?.head ?? 0) + 1, events);
    return { ok: true };
  }

  async #page(id: string, after: number): Promise<readonly LogBatch[]> {
    const { log = "", batches = [] } = this.#kept.get(id) ?? {};
    return batches.flatMap(({ epoch, first, events }) => {
      const rest = events.slice(Math.max(0, after + 1 - first));
      return rest.length === 0 ? [] : [{ log, epoch, last: first + events.length - 1, events: rest }];
    });
  }

  async #head(id: string): Promise<LogHead | undefined> {
    const head = await this.#inner.head(id);
    return head && { ...head, head: headOf(this.#kept.get(id)), first: 1 };
  }

  async #acquire(...args: Parameters<EventLog["acquire"]>) {
    const lease = await this.#inner.acquire(...args);
    if (lease === null || lease === "orphan") return lease;
    const kept = this.#kept.get(args[0]) ?? { log: lease.log, epoch: undefined, batches: [] };
    kept.epoch = lease.epoch;
    this.#kept.set(args[0], kept);
    return { ...lease, head: headOf(kept), first: 1 };
  }

  #run(name: Name, args: readonly unknown[]): unknown {
    type Args<N extends Name> = Parameters<EventLog[N]>;
    switch (name) {
      case "append":
        return this.#append(...(args as Args<"append">));
      case "page":
        return this.#page(...(args as [string, number]));
      case "head":
        return this.#head(...(args as Args<"head">));
      case "acquire":
        return this.#acquire(...(args as Args<"acquire">));
      default:
        return Reflect.apply(Reflect.get(this.#inner, name) as () => unknown, this.#inner, args);
    }
  }
}

function headOf(kept: Kept | undefined): number {
  const last = kept?.batches.at(-1);
  return last ? last.first + last.events.length - 1 : 0;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
