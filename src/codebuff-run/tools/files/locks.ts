// Edits of the same file wait for each other.

/** Edits of one file, one at a time, in the order in which they were asked for. Shared by all calls, sub-agents and runs below a root. */
export class PathLocks {
  /** For each path that is held: the edits that wait, in order. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /**
   * Does the work while no other has the path.
   * @param signal ends the wait. Work that has begun is not its concern.
   * @throws the reason of the signal, and what the work throws
   */
  async hold<Result>(
    path: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    // Systems that take `A.ts` and `a.ts` for one file: elsewhere the two wait for each other in vain, for some ms.
    const key = path.normalize("NFC").toLowerCase();
    await this.#enter(key, signal);
    try {
      return await work();
    } finally {
      this.#leave(key);
    }
  }

  /** Paths that are held. */
  get size(): number {
    return this.#waiting.size;
  }

  #enter(key: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const waiting = this.#waiting.get(key);
    if (!waiting) {
      this.#waiting.set(key, new Set());
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(enter);
        reject(signal?.reason);
      };
      waiting.add(enter);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  #leave(key: string): void {
    const waiting = this.#waiting.get(key);
    for (const enter of waiting ?? []) {
      waiting?.delete(enter);
      enter();
      return;
    }
    this.#waiting.delete(key);
  }
}
