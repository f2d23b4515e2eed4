// Appends a chat's events to its log: in order, repeated until the log has them, or never again.

import type { CancelTimer } from "../../core/clock.ts";
import { deferred } from "../../core/deferred.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import { ChatStoreError } from "../../universal/words/store-error.ts";
import type { Lease } from "../event-log.ts";
import type { RelaySettings } from "../options.ts";

export interface WriterHost {
  readonly id: string;
  readonly settings: RelaySettings;
  /** The log has the events. */
  onWritten(first: number, events: readonly UniversalEvent[]): void;
  /** This process may no longer write: another one drives the chat, or the log has lost more than is kept here. */
  onLost(why: "fenced" | "log-lost"): void;
  failed(what: string, error: unknown): void;
}

/** The events of one append. A chat that was without its log for a while has many. */
const MAX_BATCH = 500;

/** Events that the log has, kept to write them again if it loses them (such as a failover of Redis). */
const MAX_KEPT = 1_000;

const MIN_DELAY = 100;
const MAX_DELAY = 2_000;

interface Batch {
  readonly first: number;
  readonly events: readonly UniversalEvent[];
}

/**
 * Appends the events of a chat to its log. A failed append is repeated with the same events, until it works or the
 * lease is lost.
 */
export class Writer {
  readonly #host: WriterHost;
  readonly #epoch: number;
  #head: number;
  /** The last append. */
  #last: Promise<void> = Promise.resolve();
  #kept: Batch[] = [];
  #keptCount = 0;
  #state: "open" | "sealed" | "stopped" = "open";
  #wait: { readonly cancel: CancelTimer; readonly resolve: () => void } | undefined;

  constructor(host: WriterHost, { epoch, head }: Lease) {
    this.#host = host;
    this.#epoch = epoch;
    this.#head = head;
  }

  get head(): number {
    return this.#head;
  }

  /** Whether the chat's events still go to the log. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** The chat writes nothing more. What it has handed over is still written. */
  seal(): void {
    this.#state = "sealed";
  }

  /** Writes nothing more, not even what waits. */
  stop(): void {
    this.#state = "stopped";
    this.#wait?.cancel();
    this.#wait?.resolve();
  }

  /** Appends behind all earlier calls. @throws ChatStoreError, fatal, once this process may not write */
  append(events: readonly UniversalEvent[]): Promise<void> {
    const append = this.#last.then(async () => {
      for (let at = 0; at < events.length; at += MAX_BATCH)
        await this.#append(events.slice(at, at + MAX_BATCH));
    });
    this.#last = append.catch(() => {}); // the caller gets the error
    return append;
  }

  /** Resolves once all appends have ended. */
  get idle(): Promise<void> {
    return this.#last;
  }

  async #append(events: readonly UniversalEvent[]): Promise<void> {
    const { log } = this.#host.settings;
    const { id } = this.#host;
    for (let attempt = 0; ; ) {
      if (this.#state === "stopped") throw lost(id);
      const first = this.#head + 1;
      try {
        const result = await log.append(id, this.#epoch, first, events);
        if (this.#isStopped) throw lost(id);
        if (result.ok) {
          this.#head += events.length;
          this.#keep({ first, events });
          this.#host.onWritten(first, events);
          return;
        }
        if (result.why === "conflict" && result.head < first - 1 && (await this.#restore(result.head)))
          continue;
        this.#lose(result.why === "fenced" ? "fenced" : "log-lost");
        throw lost(id);
      } catch (error) {
        if (error instanceof ChatStoreError) throw error;
        if (attempt === 0) this.#host.failed("events cannot be written", error);
        await this.#pause(Math.min(MAX_DELAY, MIN_DELAY * 2 ** attempt++));
      }
    }
  }

  get #isStopped(): boolean {
    return this.#state === "stopped";
  }

  /** Writes the events behind `head` again. False: they are no longer kept. */
  async #restore(head: number): Promise<boolean> {
    const { id, settings } = this.#host;
    const [oldest] = this.#kept;
    if (!oldest || oldest.first > head + 1) return false;
    for (const { first, events } of this.#kept) {
      const missing = events.slice(Math.max(0, head + 1 - first));
      if (missing.length === 0) continue;
      const result = await settings.log.append(
        id,
        this.#epoch,
        first + events.length - missing.length,
        missing,
      );
      if (!result.ok) return false;
    }
    return true;
  }

  #keep(batch: Batch): void {
    this.#kept.push(batch);
    this.#keptCount += batch.events.length;
    if (this.#keptCount < 2 * MAX_KEPT) return;
    let from = 0;
    while (this.#keptCount > MAX_KEPT) this.#keptCount -= this.#kept[from++]?.events.length ?? 0;
    this.#kept = this.#kept.slice(from);
  }

  #lose(why: "fenced" | "log-lost"): void {
    if (this.#isStopped) return;
    this.stop();
    this.#host.onLost(why);
  }

  #pause(delay: number): Promise<void> {
    const { clock } = this.#host.settings;
    const { promise, resolve } = deferred<void>();
    const cancel = clock.setTimeout(resolve, delay * (0.5 + 0.5 * clock.random()));
    this.#wait = { cancel, resolve };
    return promise;
  }
}

function lost(id: string): ChatStoreError {
  const message = "this process no longer drives the chat";
  return new ChatStoreError(message, { operation: "append", id, fatal: true });
}
