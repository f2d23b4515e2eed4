// Waits that a signal can end.

/** Waits for a number of ms, or until `signal` is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}

/** Waits until `signal` is aborted, and keeps the process alive. */
export async function forever(signal?: AbortSignal): Promise<void> {
  // Near the maximum delay of a timer.
  while (!signal?.aborted) await pause(2_000_000_000, signal);
}

/** One turn of the event loop, so that sockets are written and signals are handled. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
