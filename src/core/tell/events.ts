// A typed event emitter: a listener that throws stops no other listener.
import { EventEmitter } from "eventemitter3";
import { type Checks, checkCallOptions, checks } from "../checks.ts";
import { InvalidInputError } from "../errors.ts";
import { checkName } from "../names.ts";
import type { Outbox } from "./outbox.ts";

export interface ListenOptions {
  /** Aborting the signal removes the listener. */
  readonly signal?: AbortSignal;
}

const LISTEN_CHECKS: Checks<ListenOptions> = { signal: checks.signal };

/** Removes a listener; calling it again does nothing. */
export type Unsubscribe = () => void;

/** An object with one key for each event in the type `Events`: the event names at run time. */
export type EventNames<Events> = Readonly<Record<keyof Events, true>>;

/**
 * A typed emitter that calls listeners through the client's outbox. If a listener throws, the other listeners still run, and the error
 * goes to `onThrow` with the event's name. A listener gets the events that are emitted after it was attached and delivered before it is
 * removed. `Events` maps an event's name to the arguments of its listeners.
 */
export class Emitter<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  readonly #emitter = new EventEmitter();
  readonly #names: EventNames<Events>;
  readonly #outbox: Outbox;
  readonly #onThrow: (error: unknown, name: string) => void;
  /** Made for the first listener: an idle client has a dozen emitters. */
  #offs: Set<Unsubscribe> | undefined;
  /** The listeners of the last event that was emitted: most events have the name of the event before. */
  #last:
    | { readonly name: string; readonly listeners: readonly ((...values: unknown[]) => void)[] }
    | undefined;
  #closed = false;

  constructor(names: EventNames<Events>, outbox: Outbox, onThrow: (error: unknown, name: string) => void) {
    this.#names = names;
    this.#outbox = outbox;
    this.#onThrow = onThrow;
  }

  /** @throws InvalidInputError for an event or an option that does not exist, and for a listener that is no function. */
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options: ListenOptions = {},
  ): Unsubscribe {
    checkName(name, this.#names, "event");
    checkCallOptions(options, LISTEN_CHECKS);
    if (typeof listener !== "function") {
      throw new InvalidInputError(`the listener for \`${name}\` is no function.`, "Pass a function.");
    }
    const { signal } = options;
    if (this.#closed || signal?.aborted) return () => {};
    let isListening = true;
    // eventemitter3 loses the types; `emit` checked the values.
    const told = (...values: unknown[]): void => {
      if (isListening) this.#call(name, listener, values as unknown as Events[Name]);
    };
    const off = (): void => {
      isListening = false;
      this.#last = undefined;
      this.#emitter.off(name, told);
      signal?.removeEventListener("abort", off);
      this.#offs?.delete(off);
    };
    this.#offs ??= new Set();
    this.#offs.add(off);
    this.#last = undefined;
    this.#emitter.on(name, told);
    signal?.addEventListener("abort", off, { once: true });
    return off;
  }

  /**
   * Attaches a listener, and tells it the present values in a microtask: by then the caller holds the returned function. Iterates
   * `present` at that time, value by value, so `present` can leave out values that have changed meanwhile.
   */
  onWithPresent<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options: ListenOptions | undefined,
    present: () => Iterable<Events[Name]>,
  ): Unsubscribe {
    const off = this.on(name, listener, options);
    let isListening = true;
    const tell = (): void => {
      for (const values of present()) {
        if (!isListening || options?.signal?.aborted) return;
        this.#call(name, listener, values);
      }
    };
    queueMicrotask(() => this.#outbox.tell(tell));
    return () => {
      isListening = false;
      off();
    };
  }

  /** Emits an event. Allocates nothing without listeners: this runs once per frame. */
  emit<Name extends keyof Events & string>(name: Name, ...values: Events[Name]): void {
    if (this.has(name)) this.#post(name, values, undefined);
  }

  /** Like `emit`, but tells each listener only if `stands()` is still true then. */
  emitWhile<Name extends keyof Events & string>(
    name: Name,
    stands: () => boolean,
    ...values: Events[Name]
  ): void {
    if (this.has(name)) this.#post(name, values, stands);
  }

  /** Like `emit`, but also after `close()`: reports errors that listeners of the last events have thrown. */
  emitThrown<Name extends keyof Events & string>(name: Name, ...values: Events[Name]): void {
    if (this.#emitter.listenerCount(name) > 0) this.#post(name, values, undefined);
  }

  /** Takes no more events. Once all events are told, removes every listener, also from its signal. */
  close(): void {
    this.#closed = true;
    const offs = this.#offs;
    if (!offs?.size) return;
    const end = (): void => {
      for (const off of offs) off();
    };
    this.#outbox.tell(() => this.#outbox.tell(end)); // remove listeners after the errors of the last listeners are told
  }

  /** Whether the event has listeners. Without listeners, skip building an expensive value. */
  has(name: keyof Events & string): boolean {
    return !this.#closed && this.#offs !== undefined && this.#emitter.listenerCount(name) > 0;
  }

  #post(name: keyof Events & string, values: readonly unknown[], stands: (() => boolean) | undefined): void {
    if (this.#last?.name !== name) this.#last = { name, listeners: this.#emitter.listeners(name) };
    const { listeners } = this.#last; // listeners attached later get only later events
    this.#outbox.tell(() => {
      for (const listener of listeners) if (!stands || stands()) listener(...values);
    });
  }

  /** Reports the error of a listener, thrown at once or rejected later. */
  #call<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => unknown,
    values: Events[Name],
  ): void {
    try {
      const later = listener(...values);
      if (later instanceof Promise) later.catch((error: unknown) => this.#onThrow(error, name));
    } catch (error) {
      this.#onThrow(error, name);
    }
  }
}
