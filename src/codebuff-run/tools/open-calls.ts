// The tool calls that run, so that `close()` can end them.

/** Calls that run, so that whoever closes their folder can end them. */
export class OpenCalls {
  readonly #open = new Map<AbortController, Promise<unknown>>();

  /** @param signal of the caller. The work gets one that `end()` aborts, too. */
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

  /** Aborts the work of all calls, and waits until it has settled. */
  async end(reason: Error): Promise<void> {
    const all = [...this.#open];
    for (const [controller] of all) controller.abort(reason);
    await Promise.allSettled(all.map(([, result]) => result));
  }
}
