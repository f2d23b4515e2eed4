// Lets one caller stop waiting for work that others may still wait for.

/** Waits for work that may never end, and that others may wait for too. @throws the signal's reason when it is aborted */
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
