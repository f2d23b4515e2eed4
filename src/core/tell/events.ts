// A typed event emitter. An error in one listener does not stop the others.
import { EventEmitter } from "eventemitter3";
import { type Checks, checkCallOptions, checks } from "../checks.ts";
import { InvalidInputError } from "../errors.ts";
import { checkName } from "../names.ts";
import { Queue } from "../queue.ts";
import type { Outbox } from "./outbox.ts";

export interface ListenOptions {
  /** Aborting the signal removes the listener. */
  readonly signal?: AbortSignal;
}

const LISTEN_CHECKS: Checks<ListenOptions> = { signal: checks.signal };

/** Removes a listener. Further calls do nothing. */
export type Unsubscribe = () => void;

/** The event names of the type `Events` at run time, as keys. */
export type EventNames<Events> = Readonly<Record<keyof Events, true>>;

/** The owner of an emitter. */
interface EmitterHost {
  listenerThrew(error: unknown, name: string): void;
}

interface Posted {
  readonly listeners: readonly ((values: readonly unknown[]) => void)[];
  readonly values: readonly unknown[];
  readonly stands: (() => boolean) | undefined;
}

/**
 * A typed emitter that calls listeners through the client's outbox. If a listener throws, the other listeners still
 * run, and the host gets the error and the event's name. A listener gets the events that are emitted after it was
 * added and delivered before it is removed. `Events` maps an event's name to the arguments of its listeners.
 */
export class Emitter<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  readonly #emitter = new EventEmitter();
  readonly #names: EventNames<Events>;
  readonly #outbox: Outbox;
  readonly #host: EmitterHost;
  /** Created with the first listener, because an idle client has a dozen emitters. */
  #offs: Set<Unsubscribe> | undefined;
  /** The listeners of the last event, cached because most events repeat the name. */
  #last: (Pick<Posted, "listeners"> & { readonly name: string }) | undefined;
  /** The events that the outbox has not yet delivered. Each has its own call of `#deliver` in the outbox. */
  #posted: Queue<Posted> | undefined;
  #closed = false;

  constructor(names: EventNames<Events>, outbox: Outbox, host: EmitterHost) {
    this.#names = names;
    this.#outbox = outbox;
    this.#host = host;
  }

  /** @throws InvalidInputError for an unknown event or option, and if the listener is not a function. */
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
    // eventemitter3 loses the types that `emit` has checked.
    const told = (values: readonly unknown[]): void => {
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
   * Adds a listener and calls it with the present values in a microtask, when the caller already has the returned
   * function. `present` is iterated then, value by value, so it can skip values that have changed meanwhile.
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

  /** Emits an event. Allocates nothing without listeners, because it runs for every frame. */
  emit<Name extends keyof Events & string>(name: Name, ...values: Events[Name]): void {
    if (this.has(name)) this.#post(name, values, undefined);
  }

  /** Like `emit`, but skips each listener for which `stands()` is no longer true. */
  emitWhile<Name extends keyof Events & string>(
    name: Name,
    stands: () => boolean,
    ...values: Events[Name]
  ): void {
    if (this.has(name)) this.#post(name, values, stands);
  }

  /** Like `emit`, but also works after `close()`, for errors from the last listeners. */
  emitThrown<Name extends keyof Events & string>(name: Name, ...values: Events[Name]): void {
    if (this.#emitter.listenerCount(name) > 0) this.#post(name, values, undefined);
  }

  /** Accepts no more events. Removes all listeners after the last events are delivered. */
  close(): void {
    this.#closed = true;
    const offs = this.#offs;
    if (!offs?.size) return;
    const end = (): void => {
      for (const off of offs) off();
    };
    this.#outbox.tell(() => this.#outbox.tell(end)); // delivers the last listeners' errors first
  }

  /** Whether the event has listeners. If not, the caller can skip building an expensive value. */
  has(name: keyof Events & string): boolean {
    if (this.#closed || this.#offs === undefined) return false;
    return this.#last?.name === name || this.#emitter.listenerCount(name) > 0;
  }

  #post(name: keyof Events & string, values: readonly unknown[], stands: (() => boolean) | undefined): void {
    if (this.#last?.name !== name) this.#last = { name, listeners: this.#emitter.listeners(name) };
    this.#posted ??= new Queue();
    this.#posted.add({ listeners: this.#last.listeners, values, stands }); // listeners added later do not get this event
    this.#outbox.tell(this.#deliver);
  }

  /** Delivers the oldest event. One function for all events, because most are a few bytes of text. */
  readonly #deliver = (): void => {
    const posted = this.#posted?.take();
    if (!posted) return;
    const { listeners, values, stands } = posted;
    for (const listener of listeners) if (!stands || stands()) listener(values);
  };

  /** Calls a listener and reports its error, thrown at once or rejected later. */
  #call<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => unknown,
    values: Events[Name],
  ): void {
    try {
      const later = listener(...values);
      if (later instanceof Promise) later.catch((error: unknown) => this.#host.listenerThrew(error, name));
    } catch (error) {
      this.#host.listenerThrew(error, name);
    }
  }
}
