// The last events of a stream, for readers that join later.
import { type Deferred, deferred } from "../../core/deferred.ts";
import { BufferOverflowError } from "../../core/errors.ts";
import { Queue } from "../../core/queue.ts";
import { partText } from "../engine/content.ts";
import type { UniversalEvent } from "../events.ts";
import type { EventListener, ReplayOptions } from "../stream.ts";
import { reportError } from "./report-error.ts";

/** Events per chunk. A chunk is stored and dropped as a whole. */
const CHUNK = 256;

/** Bytes of an event without its texts. */
const ENVELOPE_BYTES = 600;

const CHARACTER_BYTES = 2;

/** 64 MiB: like the limit of a turn's event buffer. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Chunk {
  readonly events: UniversalEvent[];
  bytes: number;
}

interface Joined {
  readonly listener: EventListener;
  /** The events of the tick in which the listener joined, until the listener has got them. */
  backlog: UniversalEvent[] | undefined;
  isListening: boolean;
}

/** The events of one stream. Keeps the last ones for later readers. Adding takes constant time. */
export class StreamLog {
  readonly #maxBytes: number;
  /** By number: the first event of chunk `n` is event `n * CHUNK`. */
  readonly #chunks = new Map<number, Chunk>();
  #newest: Chunk = { events: [], bytes: 0 };
  readonly #listeners = new Set<Joined>();
  /** The events that the listeners have not got. */
  readonly #untold = new Queue<UniversalEvent>();
  #change: Deferred<void> | undefined;
  #oldest = 0;
  #bytes = 0;
  #count = 0;
  #isEnded = false;
  /** The events of this tick. Undefined if no session or turn has begun in this tick. */
  #ofTick: UniversalEvent[] | undefined;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#count;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Adds an event. `tell` must follow. */
  keep(event: UniversalEvent): void {
    this.#ofTick?.push(event);
    if (this.#listeners.size > 0) this.#untold.add(event);
    const number = Math.floor(this.#count / CHUNK);
    if (this.#count++ % CHUNK === 0) {
      this.#newest = { events: [], bytes: 0 };
      this.#chunks.set(number, this.#newest);
    }
    const bytes = sizeOf(event);
    this.#newest.events.push(event);
    this.#newest.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes && this.#oldest < number) {
      this.#bytes -= this.#chunks.get(this.#oldest)?.bytes ?? 0;
      this.#chunks.delete(this.#oldest++);
    }
  }

  /**
   * Notifies readers and listeners of the new events, even if a listener throws. Then throws the first error.
   * @param position of the only new event, in a source with a log
   */
  tell(position?: string): void {
    this.wake();
    let thrown: { readonly error: unknown } | undefined;
    for (let event = this.#untold.take(); event; event = this.#untold.take()) {
      for (const { listener, backlog } of this.#listeners) {
        try {
          if (backlog) backlog.push(event);
          else listener(event, position);
        } catch (error) {
          thrown ??= { error };
        }
      }
    }
    if (thrown) throw thrown.error;
  }

  end(): void {
    this.#isEnded = true;
    this.wake();
    this.#listeners.clear();
  }

  /** A session or a turn begins. A listener that joins in this tick also gets the events from here on. */
  beginTick(): void {
    if (this.#ofTick) return;
    this.#ofTick = [];
    queueMicrotask(() => {
      this.#ofTick = undefined;
    });
  }

  /** Listens to new events. The events of this tick arrive in a microtask, before newer ones. */
  listen(listener: EventListener): () => void {
    const backlog = this.#ofTick?.length ? [...this.#ofTick] : undefined;
    const joined: Joined = { listener, backlog, isListening: true };
    if (!this.#isEnded) this.#listeners.add(joined);
    if (backlog) queueMicrotask(() => catchUp(joined, backlog));
    return () => {
      joined.isListening = false;
      this.#listeners.delete(joined);
    };
  }

  /** The event with the index `at`, if it has arrived and is kept. */
  peek(at: number): UniversalEvent | undefined {
    return this.#chunks.get(Math.floor(at / CHUNK))?.events[at % CHUNK];
  }

  /** The event with the index `at`, if it has arrived. @throws BufferOverflowError if it was dropped */
  get(at: number): UniversalEvent | undefined {
    const event = this.peek(at);
    if (!event && at < this.#count) throw dropped(at, this.#oldest, this.#bytes, this.#maxBytes);
    return event;
  }

  /** Resolves when an event arrives, the log ends or a reader leaves. */
  change(): Promise<void> {
    this.#change ??= deferred<void>();
    return this.#change.promise;
  }

  wake(): void {
    const change = this.#change;
    this.#change = undefined;
    change?.resolve();
  }

  read(options: ReplayOptions): AsyncIterable<UniversalEvent> {
    return { [Symbol.asyncIterator]: () => new LogReader(this, options) };
  }
}

/** Gives a listener the backlog, and the events since then. */
function catchUp(joined: Joined, backlog: readonly UniversalEvent[]): void {
  for (const event of backlog) {
    if (!joined.isListening) return;
    try {
      joined.listener(event);
    } catch (error) {
      reportError(error);
    }
  }
  joined.backlog = undefined;
}

type Read = IteratorResult<UniversalEvent, undefined>;

const DONE: Read = { done: true, value: undefined };

/** One reader of a log. Keeps only its position, so a slow reader needs no memory. */
class LogReader implements AsyncIterator<UniversalEvent, undefined> {
  readonly #log: StreamLog;
  readonly #signal: AbortSignal | undefined;
  #at: number;
  #isDone = false;

  constructor(log: StreamLog, { after = 0, signal }: ReplayOptions) {
    this.#log = log;
    this.#signal = signal;
    this.#at = after;
    if (signal?.aborted) this.#isDone = true;
    signal?.addEventListener("abort", this.#end, { once: true });
  }

  next(): Promise<Read> {
    const at = this.#at++;
    const value = this.#isDone ? undefined : this.#log.peek(at); // fast path for a slow reader
    if (value) return Promise.resolve({ done: false, value });
    const read = this.#wait(at);
    read.catch(() => {}); // a caller may never await this promise
    return read;
  }

  return(): Promise<Read> {
    this.#end();
    return Promise.resolve(DONE);
  }

  async #wait(at: number): Promise<Read> {
    try {
      while (!this.#isDone) {
        const value = this.#log.get(at);
        if (value) return { done: false, value };
        if (this.#log.isEnded) break;
        await this.#log.change();
      }
    } catch (error) {
      this.#end(); // an error ends an iteration
      throw error;
    }
    this.#end();
    return DONE;
  }

  readonly #end = (): void => {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#signal?.removeEventListener("abort", this.#end);
    this.#log.wake();
  };
}

function dropped(at: number, oldest: number, bytes: number, limit: number): BufferOverflowError {
  const what = `event ${at + 1} is no longer kept, because the log is limited to ${limit} bytes`;
  const advice = `begin with \`after: ${oldest * CHUNK}\`, read faster, or raise \`maxLogBytes\``;
  return new BufferOverflowError(bytes, limit, `${what}; ${advice}`);
}

/** The approximate memory of an event, in bytes. */
function sizeOf(event: UniversalEvent): number {
  if (event.type === "item.delta") return ENVELOPE_BYTES + event.data.delta.length * CHARACTER_BYTES;
  if (event.type !== "item.completed" && event.type !== "item.started") return ENVELOPE_BYTES;
  let characters = 0;
  for (const part of event.data.item.content) characters += partText(part).length;
  return ENVELOPE_BYTES + characters * CHARACTER_BYTES;
}
