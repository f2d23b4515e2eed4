import { BufferOverflowError } from "../errors.ts";
import { Queue } from "../queue.ts";

interface Waiter<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Turns pushes into pulls. Keeps order, loses nothing within `maxBytes`, and costs constant time per
 * value. The reader gets all buffered values before a failure, and the failure once.
 *
 * Past `maxBytes` the buffer takes nothing more, and the reader gets a {@link BufferOverflowError} after
 * what it already holds: the producer is never slowed or failed by a slow reader.
 */
export class EventBuffer<T> {
  readonly #maxBytes: number;
  readonly #values = new Queue<T>();
  /** Of each value: beside it, so that a chunk that waits needs no object of its own. */
  readonly #sizes = new Queue<number>();
  readonly #waiters = new Queue<Waiter<T>>();
  #bytes = 0;
  /** How the sequence ends once drained; `undefined` while it goes on. */
  #end: { readonly error?: unknown } | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that wait to be read. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Values that wait to be read. */
  get size(): number {
    return this.#values.size;
  }

  /** Whether a value that is pushed now would wait: no reader asks for it yet, and the sequence goes on. */
  get keeps(): boolean {
    return !this.#end && this.#waiters.size === 0;
  }

  push(value: T, bytes: number): void {
    if (this.#end) return;
    const waiter = this.#waiters.take();
    if (waiter) {
      waiter.resolve({ done: false, value });
      return;
    }
    if (this.#bytes + bytes > this.#maxBytes) {
      this.fail(new BufferOverflowError(this.#bytes + bytes, this.#maxBytes));
      return;
    }
    this.#bytes += bytes;
    this.#values.add(value);
    this.#sizes.add(bytes);
  }

  /** Ends the sequence after what is buffered. */
  end(): void {
    this.#finish({});
  }

  /** Throws `error` at the reader, once, after what is buffered. */
  fail(error: unknown): void {
    this.#finish({ error });
  }

  /** Ends the sequence at once and forgets what is buffered. */
  drop(): void {
    this.#values.clear();
    this.#sizes.clear();
    this.#bytes = 0;
    this.#end = {};
    this.#wake();
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const bytes = this.#sizes.take();
    if (bytes !== undefined) {
      this.#bytes -= bytes;
      return Promise.resolve({ done: false, value: this.#values.take() as T }); // which may be undefined itself
    }
    if (this.#end) {
      const end = this.#end;
      this.#end = {};
      return "error" in end ? Promise.reject(end.error) : Promise.resolve(DONE);
    }
    return new Promise((resolve, reject) => this.#waiters.add({ resolve, reject }));
  }

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end) return;
    this.#end = end;
    this.#wake();
  }

  /** Waiters exist only while nothing is buffered, so the first of them takes the failure and the rest the end. */
  #wake(): void {
    for (let waiter = this.#waiters.take(); waiter; waiter = this.#waiters.take()) {
      if (this.#end && "error" in this.#end) {
        waiter.reject(this.#end.error);
        this.#end = {};
      } else {
        waiter.resolve(DONE);
      }
    }
  }
}
