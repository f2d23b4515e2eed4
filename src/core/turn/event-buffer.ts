// Turns pushed events into an async iterator, within a limit on memory.
import { BufferOverflowError } from "../errors.ts";
import { Queue } from "../queue.ts";

interface Waiter<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Turns pushes into pulls. Keeps order, loses nothing within `maxBytes`, and costs constant time per value. The reader gets all buffered
 * values before a failure, and the failure once.
 *
 * Over `maxBytes` the buffer accepts no more values. The reader gets the buffered values, then a {@link BufferOverflowError}. A slow
 * reader never slows or fails the producer.
 */
export class EventBuffer<T> {
  readonly #maxBytes: number;
  readonly #values = new Queue<T>();
  /** The sizes of the values. A separate queue, so that a waiting chunk needs no extra object. */
  readonly #sizes = new Queue<number>();
  readonly #waiters = new Queue<Waiter<T>>();
  #bytes = 0;
  /** The end of the sequence after the buffered values; `undefined` while the sequence goes on. */
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

  /** Whether a value that is pushed now would wait: no reader is waiting for a value, and the sequence goes on. */
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

  /** Ends the sequence after the buffered values. */
  end(): void {
    this.#finish({});
  }

  /** Throws `error` at the reader, once, after the buffered values. */
  fail(error: unknown): void {
    this.#finish({ error });
  }

  /** Ends the sequence at once and drops the buffered values. */
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
      return Promise.resolve({ done: false, value: this.#values.take() as T }); // the value itself may be undefined
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

  /** Ends the waiting reads. Reads wait only while nothing is buffered: the first read gets the failure, the others get the end. */
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
