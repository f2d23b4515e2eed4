// The running tool calls, so that `close()` can stop them.

export class OpenCalls {
  readonly #open = new Map<AbortController, Promise<unknown>>();

  /** @param signal the caller's. `end()` also aborts the work. */
  async run<Result>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const result = work(controller.signal);
    this.#open.set(controller, result);
    try {
      return await result;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#open.delete(controller);
    }
  }

  /** Aborts all calls, and waits until they settle. */
  async end(reason: Error): Promise<void> {
    const all = [...this.#open];
    for (const [controller] of all) controller.abort(reason);
    await Promise.allSettled(all.map(([, result]) => result));
  }
}
