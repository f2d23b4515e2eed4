import type { Clock } from "../core/clock.ts";
import { deferred } from "../core/deferred.ts";
import { ClosedError, ConnectError, RequestTimeoutError } from "../core/errors.ts";

/** What may end a wait before its work is done. */
export interface WaitLimits {
  /** What is waited for, to begin a message with: `GET /status`. */
  readonly what: string;
  /** ms; 0 for no limit. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** Waits for what nobody can be sure of to end: each has its limits, and all end when their owner is closed. */
export class Waits {
  readonly #clock: Clock;
  readonly #owner: AbortSignal | undefined;
  readonly #ends = new Set<() => void>();
  #closed = false;

  /** Aborting `owner` closes; it is listened to while somebody waits, so that it holds nothing longer than that. */
  constructor(clock: Clock, owner?: AbortSignal) {
    this.#clock = clock;
    this.#owner = owner;
  }

  get closed(): boolean {
    return this.#closed || this.#owner?.aborted === true;
  }

  /**
   * Gives what the work gives. The signal that the work gets aborts once nobody waits for it any more.
   * @throws RequestTimeoutError, ClosedError, or ConnectError for an aborted signal
   */
  async run<T>(limits: WaitLimits, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { what, timeout, signal } = limits;
    if (this.closed) throw closedError(what);
    if (signal?.aborted) throw abortedError(what, signal);
    const early = deferred<never>();
    const end = (): void => early.reject(closedError(what));
    const onAbort = (): void => early.reject(abortedError(what, signal));
    const onTime = (): void => {
      early.reject(new RequestTimeoutError(`${what}: no answer within ${timeout} ms`, { timeout }));
    };
    const cancel = timeout === 0 ? undefined : this.#clock.setTimeout(onTime, timeout);
    this.#ends.add(end);
    this.#owner?.addEventListener("abort", end, { once: true });
    signal?.addEventListener("abort", onAbort, { once: true });
    const controller = new AbortController();
    try {
      return await Promise.race([work(controller.signal), early.promise]);
    } finally {
      cancel?.();
      this.#ends.delete(end);
      this.#owner?.removeEventListener("abort", end);
      signal?.removeEventListener("abort", onAbort);
      controller.abort();
    }
  }

  /** Waits for nothing but the time. */
  async pause(what: string, ms: number, signal: AbortSignal): Promise<void> {
    const over = deferred<void>();
    const cancel = this.#clock.setTimeout(() => over.resolve(), ms);
    try {
      await this.run({ what, timeout: 0, signal }, () => over.promise);
    } finally {
      cancel();
    }
  }

  /** Everybody who waits, and who would wait later, gets a `ClosedError`. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#ends]) end();
  }
}

function closedError(what: string): ClosedError {
  return new ClosedError(`${what}: the client was closed; make a new one`);
}

function abortedError(what: string, signal: AbortSignal | undefined): ConnectError {
  return new ConnectError(`${what}: the call was aborted`, { cause: signal?.reason, retryable: false });
}
