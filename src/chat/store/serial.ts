// Runs the tasks of one key one after another.

/** Runs the tasks of one key in the order of the calls. Tasks of different keys run in parallel. */
export class Serial {
  /** The last task of each key with running tasks. */
  readonly #last = new Map<string, Promise<void>>();

  /** Returns the task's result. The next task runs even if this one fails. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(task);
    const last: Promise<void> = result.then(
      () => this.#forget(key, last),
      () => this.#forget(key, last), // the caller gets the rejection
    );
    this.#last.set(key, last);
    return result;
  }

  #forget(key: string, task: Promise<void>): void {
    if (this.#last.get(key) === task) this.#last.delete(key);
  }
}
