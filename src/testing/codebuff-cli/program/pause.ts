// Waits that a signal can end.

/** Waits so many ms, or until `signal` is aborted. */
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

/** Waits until `signal` is aborted, and keeps the process alive meanwhile. */
export async function forever(signal?: AbortSignal): Promise<void> {
  // Two thousand million ms are the longest that a timer can be.
  while (!signal?.aborted) await pause(2_000_000_000, signal);
}

/** One turn of the event loop, in which sockets are written and signals are heard. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
