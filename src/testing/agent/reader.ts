// The one reader of a mock turn.
import { alreadyConsumed } from "./errors.ts";
import { type MockAgentEvent, textOf } from "./events.ts";

interface Waiter<T> {
  resolve(step: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Makes an iterator of what is pushed. Keeps everything: a mock has no limits. */
class Buffer<T> {
  #values: T[] = [];
  #read = 0;
  #waiters: Waiter<T>[] = [];
  #end: { readonly error?: unknown } | undefined;

  push(value: T): void {
    if (this.#end) return;
    const [first, ...others] = this.#waiters; // hardly anybody waits twice
    if (!first) {
      this.#values.push(value);
      return;
    }
    this.#waiters = others;
    first.resolve({ done: false, value });
  }

  /** Ends behind what is kept. With an `error` the reader gets it once. */
  end(end: { readonly error?: unknown }): void {
    if (this.#end) return;
    this.#end = end;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) {
      if (this.#end && "error" in this.#end) {
        waiter.reject(this.#end.error);
        this.#end = {};
      } else waiter.resolve(DONE);
    }
  }

  /** Ends now. */
  drop(): void {
    this.#values = [];
    this.#read = 0;
    this.end({});
    this.#end = {};
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#read < this.#values.length) {
      const value = this.#values[this.#read++];
      if (this.#read === this.#values.length) {
        this.#values = [];
        this.#read = 0;
      }
      return Promise.resolve({ done: false, value: value as T }); // the index is within the list
    }
    if (!this.#end) return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
    const end = this.#end;
    this.#end = {};
    return "error" in end ? Promise.reject(end.error) : Promise.resolve(DONE);
  }

  /** What is kept, taken out. */
  takeAll(): readonly T[] {
    const kept = this.#values.slice(this.#read);
    this.#values = [];
    this.#read = 0;
    return kept;
  }

  /** How the buffer has ended. */
  get ended(): { readonly error?: unknown } | undefined {
    return this.#end;
  }
}

/** The one reader of a turn, of its events or of its text. */
export class Reader {
  readonly #id: string;
  readonly #keeps: boolean;
  readonly #leave: () => void;
  readonly #events = new Buffer<MockAgentEvent>();
  #texts: Buffer<string> | undefined;
  #consumer: string | undefined;

  /** @param leave the reader has left its loop */
  constructor(id: string, keeps: boolean, leave: () => void) {
    this.#id = id;
    this.#keeps = keeps;
    this.#leave = leave;
  }

  push(event: MockAgentEvent): void {
    if (!this.#keeps) return;
    if (!this.#texts) this.#events.push(event);
    else if (textOf(event) !== "") this.#texts.push(textOf(event));
  }

  end(): void {
    this.#open.end({});
  }

  fail(error: unknown): void {
    this.#open.end({ error });
  }

  drop(): void {
    this.#open.drop();
  }

  /** @throws InvalidInputError, `already-consumed`, for a second reader and for a turn that keeps no events */
  events(): AsyncIterator<MockAgentEvent, undefined> {
    this.#consume("the async iterator");
    return this.#iterator(this.#events);
  }

  /** The texts, without empty ones. Throws as {@link events}. */
  texts(): AsyncIterator<string, undefined> {
    this.#consume("textStream");
    const texts = new Buffer<string>();
    const end = this.#events.ended;
    for (const event of this.#events.takeAll()) if (textOf(event) !== "") texts.push(textOf(event));
    if (end) texts.end(end);
    this.#texts = texts;
    return this.#iterator(texts);
  }

  get #open(): Buffer<string> | Buffer<MockAgentEvent> {
    return this.#texts ?? this.#events;
  }

  #iterator<T>(buffer: Buffer<T>): AsyncIterator<T, undefined> {
    return {
      next: () => buffer.next(),
      return: () => {
        this.#leave();
        return Promise.resolve(DONE);
      },
    };
  }

  #consume(consumer: string): void {
    if (!this.#keeps) {
      throw alreadyConsumed(
        `turn ${this.#id} was made with \`read: false\`, and keeps no events.`,
        "Leave `read` out to read it.",
      );
    }
    if (this.#consumer) {
      throw alreadyConsumed(
        `turn ${this.#id} is already read through ${this.#consumer}.`,
        'A turn has one reader; use `turn.on("event", ...)` for a second one.',
      );
    }
    this.#consumer = consumer;
  }
}
