// Lets a caller stop waiting for a promise without cancelling the work.

/** Waits for `work` until the signal aborts. Does not cancel `work`. @throws the signal's reason */
export function abortable<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    const over = (): void => signal.removeEventListener("abort", onAbort);
    Promise.resolve(work).then(
      (value) => {
        over();
        resolve(value);
      },
      (error: unknown) => {
        over();
        reject(error);
      },
    );
  });
}
