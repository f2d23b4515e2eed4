// The wait of `connect()` for a connection that others may wait for too.
import { ConnectError } from "../errors.ts";

/** Connects, and waits until the signal is aborted. An abort leaves the connection alone. */
export function connectUntil(signal: AbortSignal | undefined, connect: () => Promise<void>): Promise<void> {
  if (!signal) return connect();
  return new Promise((resolve, reject) => {
    const onAbort = (): void =>
      reject(new ConnectError("the wait for the connection was aborted", { cause: signal.reason }));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    connect()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}
