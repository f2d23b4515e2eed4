// Calls the test's listeners after the state of the mock agent has changed.

/**
 * Calls the caller's code after the state has changed. A call, a timer and a step of a script are inputs: `run` first lets the outermost
 * input change the state completely. The calls of listeners follow in their order, never one inside another.
 */
export class Tells {
  readonly #waiting: (() => void)[] = [];
  #depth = 0;
  #isTelling = false;

  /** Runs an input. */
  run<T>(input: () => T): T {
    this.#depth++;
    try {
      return input();
    } finally {
      this.#depth--;
      this.#deliver();
    }
  }

  /** Calls `tell` once the input is complete. `tell` throws nothing. */
  tell(tell: () => void): void {
    this.#waiting.push(tell);
    this.#deliver();
  }

  #deliver(): void {
    if (this.#depth > 0 || this.#isTelling) return;
    this.#isTelling = true;
    for (let at = 0; at < this.#waiting.length; at++) this.#waiting[at]?.();
    this.#waiting.length = 0;
    this.#isTelling = false;
  }
}
