import { EventEmitter } from "eventemitter3";

export interface ListenOptions {
  /** Removes the listener when it aborts. */
  readonly signal?: AbortSignal;
}

/** Removes a listener; calling it again does nothing. */
export type Unsubscribe = () => void;

/**
 * A typed emitter in which a listener that throws stops nobody else: what it threw goes to `onThrow`,
 * with the event's name. `Events` maps an event's name to the arguments of its listeners.
 */
export class Emitter<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  readonly #emitter = new EventEmitter();
  readonly #onThrow: (error: unknown, name: string) => void;

  constructor(onThrow: (error: unknown, name: string) => void) {
    this.#onThrow = onThrow;
  }

  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options: ListenOptions = {},
  ): Unsubscribe {
    const { signal } = options;
    if (signal?.aborted) return () => {};
    const isolated = (...values: unknown[]): void => {
      try {
        listener(...(values as unknown as Events[Name])); // eventemitter3 forgets the types; `emit` checked them
      } catch (error) {
        this.#onThrow(error, name);
      }
    };
    const off = (): void => {
      this.#emitter.off(name, isolated);
      signal?.removeEventListener("abort", off);
    };
    this.#emitter.on(name, isolated);
    signal?.addEventListener("abort", off, { once: true });
    return off;
  }

  emit<Name extends keyof Events & string>(name: Name, ...values: Events[Name]): void {
    this.#emitter.emit(name, ...values);
  }

  /** Whether anybody listens: what costs something to build is not built for nobody. */
  has(name: keyof Events & string): boolean {
    return this.#emitter.listenerCount(name) > 0;
  }
}
