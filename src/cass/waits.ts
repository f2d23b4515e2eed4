import type { Clock } from "../core/clock.ts";
import { deferred } from "../core/deferred.ts";
import { type AgentwireError, ClosedError, ConnectError } from "../core/errors.ts";

/** What may end a wait before its work is done. */
export interface WaitLimits {
  /** What is being done, for messages: `GET /status`. */
  readonly what: string;
  /** ms; 0 for none. */
  readonly timeout: number;
  /** What the wait fails with then. */
  readonly expired: (timeout: number) => AgentwireError;
  readonly signal?: AbortSignal | undefined;
}

/** Waits for work that nobody can be sure of to end: each has a limit, and all end when their owner is closed. */
export class Waits {
  readonly #clock: Clock;
  readonly #enders = new Set<(error: AgentwireError) => void>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Gives what the work gives. Its signal aborts once nobody waits for it any more. */
  async run<T>(limits: WaitLimits, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { what, timeout, expired, signal } = limits;
    if (this.#closed) throw closedError(what);
    if (signal?.aborted) throw abortedError(what, signal);
    const early = deferred<never>();
    const controller = new AbortController();
    const onAbort = (): void => early.reject(signal && abortedError(what, signal));
    const onClose = (): void => early.reject(closedError(what));
    const cancel =
      timeout === 0 ? undefined : this.#clock.setTimeout(() => early.reject(expired(timeout)), timeout);
    this.#enders.add(onClose);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([work(controller.signal), early.promise]);
    } finally {
      cancel?.();
      this.#enders.delete(onClose);
      signal?.removeEventListener("abort", onAbort);
      controller.abort();
    }
  }

  /** Everybody who waits, and who would wait later, gets a `ClosedError`. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#enders]) end(closedError(""));
  }
}

function closedError(what: string): ClosedError {
  return new ClosedError(`${what}: the client was closed; make a new one`);
}

function abortedError(what: string, signal: AbortSignal): ConnectError {
  return new ConnectError(`${what} was aborted`, { cause: signal.reason, retryable: false });
}
