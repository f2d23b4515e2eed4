// Waits for work that may never end: ended by time, by a signal, or by the owner's end.
import type { Clock } from "../clock.ts";
import { deferred } from "../deferred.ts";
import { ClosedError, ConnectError, RequestTimeoutError } from "../errors.ts";

/** The limits of a wait. */
export interface WaitLimits {
  /** The work in words, as the beginning of an error message: `GET /status`. */
  readonly what: string;
  /** ms; 0: no limit. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** Waits for work that may never end. Each wait has its limits. All waits end when their owner closes. */
export class Waits {
  readonly #clock: Clock;
  readonly #owner: AbortSignal | undefined;
  readonly #ends = new Set<() => void>();
  #closed = false;

  /**
   * Aborting `owner` closes the object. The object listens to the signal only during waits, so that the signal does not keep it alive.
   */
  constructor(clock: Clock, owner?: AbortSignal) {
    this.#clock = clock;
    this.#owner = owner;
  }

  get closed(): boolean {
    return this.#closed || this.#owner?.aborted === true;
  }

  /**
   * Waits for work. When the wait ends, the signal of the work is aborted.
   * @throws RequestTimeoutError, ClosedError, or ConnectError for an aborted signal
   */
  async run<T>(limits: WaitLimits, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { what, timeout, signal } = limits;
    const controller = new AbortController();
    const early = deferred<never>();
    const onClose = (): void =>
      early.reject(new ClosedError(`${what}: the client was closed; make a new one`));
    const onAbort = (): void => {
      const details = { cause: signal?.reason, retryable: false };
      early.reject(new ConnectError(`${what}: the call was aborted`, details));
    };
    const onTime = (): void =>
      early.reject(new RequestTimeoutError(`${what}: no answer within ${timeout} ms`, { timeout }));
    if (this.closed) onClose();
    else if (signal?.aborted) onAbort();
    if (this.closed || signal?.aborted) return early.promise;
    const cancel = timeout === 0 ? undefined : this.#clock.setTimeout(onTime, timeout);
    this.#ends.add(onClose);
    this.#owner?.addEventListener("abort", onClose, { once: true });
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([work(controller.signal), early.promise]);
    } finally {
      cancel?.();
      this.#ends.delete(onClose);
      this.#owner?.removeEventListener("abort", onClose);
      signal?.removeEventListener("abort", onAbort);
      controller.abort();
    }
  }

  /** Waits `ms`. */
  async pause(what: string, ms: number, signal: AbortSignal): Promise<void> {
    const over = deferred<void>();
    const cancel = this.#clock.setTimeout(() => over.resolve(), ms);
    try {
      await this.run({ what, timeout: 0, signal }, () => over.promise);
    } finally {
      cancel();
    }
  }

  /** Ends every wait, also later ones, with a `ClosedError`. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#ends]) end();
  }
}
