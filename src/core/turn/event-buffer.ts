// Turns pushed events into an async iterator with limited memory.
import { BufferOverflowError } from "../errors.ts";
import { Queue } from "../queue.ts";

interface Waiter<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Queues pushed values for an async iterator. Keeps the order, loses nothing within `maxBytes`, and takes constant time
 * per value. The reader gets all buffered values first, and then an error once.
 *
 * Over `maxBytes` the buffer accepts no more values, and the error is a {@link BufferOverflowError}. A slow reader
 * never slows or fails the producer.
 */
export class EventBuffer<T> {
  readonly #maxBytes: number;
  readonly #values = new Queue<T>();
  /** The sizes of the values, in their own queue so that a buffered value needs no extra object. */
  readonly #sizes = new Queue<number>();
  readonly #waiters = new Queue<Waiter<T>>();
  #bytes = 0;
  /** How the sequence ends after the buffered values. Undefined until it ends. */
  #end: { readonly error?: unknown } | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of unread bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of unread values. */
  get size(): number {
    return this.#values.size;
  }

  /** Whether a new value would be buffered: the sequence has not ended, and no reader is waiting. */
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

  /** Makes the reader throw `error` once, after the buffered values. */
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

  /** Ends the waiting reads. Nothing is buffered, so the first gets the error, the others the end. */
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
