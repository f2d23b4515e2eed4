import type { ChatStore } from "../../../src/chat/store/store.ts";
import { deferred } from "../../../src/core/deferred.ts";
import type { UniversalEvent } from "../../../src/universal/events.ts";

/** A store that can be slow, and can fail. */
export class MemoryStore implements ChatStore {
  readonly events: UniversalEvent[] = [];
  /** The size of each batch. */
  readonly batches: number[] = [];
  /** What the next calls throw, if anything. */
  failure: unknown;
  #gate = deferred<void>();

  constructor(events: readonly UniversalEvent[] = []) {
    this.events.push(...events);
    this.release();
  }

  /** From now on, calls wait for `release`. */
  hold(): void {
    this.#gate = deferred();
  }

  release(): void {
    this.#gate.resolve();
  }

  async load(): Promise<readonly UniversalEvent[]> {
    await this.#gate.promise;
    if (this.failure !== undefined) throw this.failure;
    return [...this.events];
  }

  async append(_: string, events: readonly UniversalEvent[]): Promise<void> {
    this.batches.push(events.length);
    await this.#gate.promise;
    if (this.failure !== undefined) throw this.failure;
    this.events.push(...events);
  }

  async list(): Promise<readonly string[]> {
    return ["chat"];
  }
}
