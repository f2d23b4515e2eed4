// The listeners of a mock client or turn.
import type { ListenOptions, Unsubscribe } from "../../core/client/events.ts";
import { checkNames, InvalidMockInput } from "../names.ts";
import { checkValues, isSignal } from "./checks.ts";
import type { Tells } from "./tells.ts";

/** A listener whose event has been checked by name. */
type Told = (...values: readonly unknown[]) => unknown;

interface Entry {
  readonly listener: Told;
  isListening: boolean;
}

const LISTEN = { signal: isSignal };

/** The listeners of a client or of a turn. A listener that throws stops no other one. */
export class Listeners<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  readonly #lists = new Map<string, Set<Entry>>();
  readonly #names: Readonly<Record<keyof Events, true>>;
  readonly #tells: Tells;
  readonly #threw: (error: unknown, name: string) => void;
  readonly #offs = new Set<Unsubscribe>();
  #isClosed = false;

  constructor(
    names: Readonly<Record<keyof Events, true>>,
    tells: Tells,
    threw: (error: unknown, name: string) => void,
  ) {
    this.#names = names;
    this.#tells = tells;
    this.#threw = threw;
  }

  /**
   * Attaches a listener. It gets the values of `present` in a microtask, when the caller holds the returned function.
   * @throws InvalidInputError for an event or an option that does not exist, and for a listener that is no function
   */
  on(
    name: string,
    listener: (...values: never) => unknown,
    options: ListenOptions = {},
    present?: () => Iterable<readonly unknown[]>,
  ): Unsubscribe {
    checkNames({ [String(name)]: true }, this.#names, "event");
    checkValues(options, LISTEN, "option");
    if (typeof listener !== "function")
      throw new InvalidMockInput(`the listener for \`${name}\` is no function.`, "Pass a function.");
    const entry: Entry = { listener: listener as Told, isListening: true };
    const { signal } = options;
    if (signal?.aborted) return () => {};
    const off = (): void => {
      entry.isListening = false;
      this.#lists.get(name)?.delete(entry);
      this.#offs.delete(off);
      signal?.removeEventListener("abort", off);
    };
    if (!this.#isClosed) {
      const list = this.#lists.get(name) ?? new Set();
      this.#lists.set(name, list.add(entry));
      this.#offs.add(off);
      signal?.addEventListener("abort", off, { once: true });
    }
    if (present) queueMicrotask(() => this.#tells.tell(() => this.#tellPresent(name, entry, present)));
    return off;
  }

  /** Tells all listeners of now. A listener is left out if it has left, or if `stands()` is false by then. */
  emit<Name extends keyof Events & string>(
    name: Name,
    values: Events[Name],
    stands: () => boolean = () => true,
  ): void {
    if (!this.#isClosed) this.#post(name, values, stands);
  }

  /** Like `emit`, but also after `close()`: the last listeners may have thrown. */
  emitThrown<Name extends keyof Events & string>(name: Name, values: Events[Name]): void {
    this.#post(name, values, () => true);
  }

  /** Takes no more events. Removes all listeners once all events are told. */
  close(): void {
    this.#isClosed = true;
    const end = (): void => {
      for (const off of [...this.#offs]) off();
    };
    this.#tells.tell(() => this.#tells.tell(end)); // behind what the last listeners throw
  }

  #post(name: string, values: readonly unknown[], stands: () => boolean): void {
    const entries = this.#lists.get(name);
    if (!entries || entries.size === 0) return;
    const told = [...entries];
    this.#tells.tell(() => {
      for (const entry of told) if (stands()) this.#call(name, entry, values);
    });
  }

  #tellPresent(name: string, entry: Entry, present: () => Iterable<readonly unknown[]>): void {
    for (const values of present()) this.#call(name, entry, values);
  }

  #call(name: string, entry: Entry, values: readonly unknown[]): void {
    if (!entry.isListening) return;
    try {
      const later = entry.listener(...values);
      if (later instanceof Promise) later.catch((error: unknown) => this.#threw(error, name));
    } catch (error) {
      this.#threw(error, name);
    }
  }
}
