// Locks, so that edits of one file run one by one.

/** Runs edits of one file in the order of their calls. All runs below a root share it. */
export class PathLocks {
  /** The waiting edits of each locked path, in order. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Runs `work` with the path locked. `signal` ends only the wait. @throws the signal's reason */
  async hold<Result>(
    path: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    // Some systems treat `A.ts` and `a.ts` as one file. Elsewhere, their edits wait for each other.
    const key = path.normalize("NFC").toLowerCase();
    await this.#enter(key, signal);
    try {
      return await work();
    } finally {
      this.#leave(key);
    }
  }

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
