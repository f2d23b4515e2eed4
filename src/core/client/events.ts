import { EventEmitter } from "eventemitter3";
import { type Checks, checkCallOptions, checks } from "../checks.ts";
import { InvalidInputError } from "../errors.ts";
import { checkName } from "../names.ts";

export interface ListenOptions {
  /** Removes the listener when it aborts. */
  readonly signal?: AbortSignal;
}

const LISTEN_CHECKS: Checks<ListenOptions> = { signal: checks.signal };

/** Removes a listener; calling it again does nothing. */
export type Unsubscribe = () => void;

/** The names of events, at run time: each that the types know, and no other. */
export type EventNames<Events> = Readonly<Record<keyof Events, true>>;

/**
 * A typed emitter in which a listener that throws stops nobody else: what it threw goes to `onThrow`,
 * with the event's name. `Events` maps an event's name to the arguments of its listeners.
 */
export class Emitter<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  readonly #emitter = new EventEmitter();
  readonly #names: EventNames<Events>;
  readonly #onThrow: (error: unknown, name: string) => void;
  readonly #offs = new Set<Unsubscribe>();
  #closed = false;

  constructor(names: EventNames<Events>, onThrow: (error: unknown, name: string) => void) {
    this.#names = names;
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
    // eventemitter3 forgets the types; `emit` checked them.
    const isolated = (...values: unknown[]): void =>
      this.call(name, listener, ...(values as unknown as Events[Name]));
    const off = (): void => {
      this.#emitter.off(name, isolated);
      signal?.removeEventListener("abort", off);
      this.#offs.delete(off);
    };
    this.#offs.add(off);
    this.#emitter.on(name, isolated);
    signal?.addEventListener("abort", off, { once: true });
    return off;
  }

  /**
   * Listens, and in a moment is told what stands already: the caller holds the returned function by then. `present`
   * is asked at that time, for one after the other, so that it can leave out what has changed meanwhile.
   */
  onWithPresent<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options: ListenOptions | undefined,
    present: () => Iterable<Events[Name]>,
  ): Unsubscribe {
    const off = this.on(name, listener, options);
    let listening = true;
    queueMicrotask(() => {
      for (const values of present()) {
        if (!listening || options?.signal?.aborted) return;
        this.call(name, listener, ...values);
      }
    });
    return () => {
      listening = false;
      off();
    };
  }

  /** Calls one listener; what it throws, at once or later, is reported. */
  call<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => unknown,
    ...values: Events[Name]
  ): void {
    try {
      const later = listener(...values);
      if (later instanceof Promise) later.catch((error: unknown) => this.#onThrow(error, name));
    } catch (error) {
      this.#onThrow(error, name);
    }
  }

  emit<Name extends keyof Events & string>(name: Name, ...values: Events[Name]): void {
    if (this.#offs.size > 0) this.#emitter.emit(name, ...values); // mostly nobody listens, and this is once per frame
  }

  /**
   * Tells what stands, for as long as it does: when a listener changes that, those behind it were told of the change
   * already, and would take what came before it for the present.
   */
  emitPresent<Name extends keyof Events & string>(
    name: Name,
    stands: () => boolean,
    ...values: Events[Name]
  ): void {
    if (this.#offs.size === 0) return;
    for (const listener of this.#emitter.listeners(name)) {
      if (!stands()) return;
      listener(...values);
    }
  }

  /** There will be nothing more to tell: removes every listener, and what ties it to a signal. */
  close(): void {
    this.#closed = true;
    for (const off of [...this.#offs]) off();
  }

  /** Whether anybody listens: what costs something to build is not built for nobody. */
  has(name: keyof Events & string): boolean {
    return this.#offs.size > 0 && this.#emitter.listenerCount(name) > 0;
  }
}
