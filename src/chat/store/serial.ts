// Runs the tasks of one key one after another.

/** Runs the tasks of one key one after another, in the order of the calls. Tasks of different keys run side by side. */
export class Serial {
  /** The last task of each key; a key without tasks has no entry. */
  readonly #last = new Map<string, Promise<void>>();

  /** The outcome of the task. A failed task does not keep the next one from running. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(task);
    const last: Promise<void> = result.then(
      () => this.#forget(key, last),
      () => this.#forget(key, last), // the caller has the rejection
    );
    this.#last.set(key, last);
    return result;
  }

  #forget(key: string, task: Promise<void>): void {
    if (this.#last.get(key) === task) this.#last.delete(key);
  }
}
