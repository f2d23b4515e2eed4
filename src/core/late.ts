// Code that a client loads while it connects, so that no page waits for it before its first prompt.
import { ConnectError, said } from "./errors.ts";

/** A module that is loaded while a client connects, once for all clients. It is there before a connection is ready. */
export class Late<Module> {
  /** What the module is for, in words, for errors. */
  readonly #what: string;
  readonly #import: () => Promise<Module>;
  #module: Module | undefined;
  #loading: Promise<void> | undefined;

  constructor(what: string, load: () => Promise<Module>) {
    this.#what = what;
    this.#import = load;
  }

  get module(): Module {
    if (!this.#module) throw new Error(`${this.#what} is used before it was loaded`);
    return this.#module;
  }

  /** Undefined if the module is there. Rejects with a ConnectError; the next call then tries again. */
  load(): Promise<void> | undefined {
    if (!this.#module) this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    try {
      this.#module = await this.#import();
    } catch (cause) {
      const advice =
        "check that every file of your build can be reached, or reload the page if a newer build replaced it";
      throw new ConnectError(`${this.#what} could not be loaded (${said(cause)}); ${advice}`, { cause });
    } finally {
      this.#loading = undefined;
    }
  }
}

/** Loads what is not there yet. Undefined if everything is there. */
export function loadAll(parts: readonly Late<unknown>[] = []): Promise<unknown> | undefined {
  const loads = parts.flatMap((part) => part.load() ?? []);
  return loads.length === 0 ? undefined : Promise.all(loads);
}
