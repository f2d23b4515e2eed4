// Promises that settle when an event has happened.

interface Waiter {
  check(): void;
  fail(error: Error): void;
}

/** The pending waits. Each checks its condition after every event. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();
  #ended: Error | undefined;

  /** Resolves with the first value of `probe` that is not undefined, null or false. Rejects if `probe` throws. */
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
    // A failed test leaves waits behind. Their rejections must not become a second failure.
    promise.catch(() => {});
    return promise;
  }

  /** Makes all waits check again. */
  changed(): void {
    if (this.#waiting.size === 0) return;
    // Iterate over a copy: a settled waiter is removed, and a check may add another.
    for (const waiter of [...this.#waiting]) waiter.check();
  }

  /** Rejects all waits, present and future. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const waiter of this.#waiting) waiter.fail(error);
    this.#waiting.clear();
  }
}
