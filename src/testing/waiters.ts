// Promises that are kept when something has happened.

interface Waiter {
  check(): void;
  fail(error: Error): void;
}

/** Those who wait for something to happen: they look when something did. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();
  #ended: Error | undefined;

  /** Resolves with the first value of `probe` that is not undefined, null or false; rejects when it throws. */
  until<T>(probe: () => T | undefined | false | null): Promise<T> {
    const promise = new Promise<T>((resolve, reject) => {
      const waiter: Waiter = {
        check: () => {
          try {
            const value = probe();
            if (value === undefined || value === null || value === false) return;
            resolve(value);
          } catch (error) {
            reject(error);
          }
          this.#waiting.delete(waiter);
        },
        fail: reject,
      };
      this.#waiting.add(waiter);
      waiter.check();
      if (this.#ended && this.#waiting.delete(waiter)) reject(this.#ended);
    });
    // A test that has already failed leaves its waits behind; they must not become a second failure.
    promise.catch(() => {});
    return promise;
  }

  /** Something that a waiter may look at is different now. */
  changed(): void {
    if (this.#waiting.size === 0) return;
    // A copy: a waiter that is served leaves, and what it starts may add another.
    for (const waiter of [...this.#waiting]) waiter.check();
  }

  /** Fails all who wait, and all who will: nothing happens any more. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const waiter of this.#waiting) waiter.fail(error);
    this.#waiting.clear();
  }
}
