// A log whose calls wait where a test wants it: the moment between a call and its effect.
import type { EventLog } from "agentwire/server";
import { onTestFinished } from "vitest";

type Name = keyof EventLog;

export class GatedLog {
  /** The log, as a relay takes it. */
  readonly log: EventLog;
  readonly #held = new Set<Name>();
  #calls: { readonly name: Name; readonly go: (error?: Error) => void }[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(inner: EventLog) {
    this.log = new Proxy(inner, {
      get:
        (_, name: Name) =>
        (...args: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(Reflect.get(inner, name) as () => unknown, inner, args);
          return this.#held.has(name) ? this.#hold(name, call) : call();
        },
    });
    onTestFinished(() => this.release());
  }

  /** From now on, calls of this function wait. */
  hold(name: Name): void {
    this.#held.add(name);
  }

  /** Resolves once a call of this function waits. */
  async waits(name: Name): Promise<void> {
    while (!this.#calls.some((call) => call.name === name))
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** All calls go on, or fail without an effect. */
  release(error?: Error): void {
    this.#held.clear();
    const calls = this.#calls;
    this.#calls = [];
    for (const { go } of calls) go(error);
  }

  #hold(name: Name, call: () => unknown): Promise<unknown> {
    const held = new Promise<void>((resolve, reject) => {
      this.#calls.push({ name, go: (error) => (error ? reject(error) : resolve()) });
    }).then(call);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
    return held;
  }
}
