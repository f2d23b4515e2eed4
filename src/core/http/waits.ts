// Waits for work that may never end. A wait ends by its time limit, a signal, or the owner's end.
import type { Clock } from "../clock.ts";
import { deferred } from "../deferred.ts";
import { ClosedError, ConnectError, RequestTimeoutError } from "../errors.ts";
import { Table } from "../table.ts";

export interface WaitLimits {
  /** Names the work at the start of an error message: `GET /status`. */
  readonly what: string;
  /** ms. 0: no limit. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** Waits for work that may never end. Each wait has its own limits. All waits end when the owner ends. */
export class Waits {
  readonly #clock: Clock;
  readonly #owner: AbortSignal | undefined;
  readonly #ends = new Table<() => void, true>();
  #closed = false;

  /** Aborting `owner` ends all waits. Only waits listen to it, so that it does not keep this object alive. */
  constructor(clock: Clock, owner?: AbortSignal) {
    this.#clock = clock;
    this.#owner = owner;
  }

  get closed(): boolean {
    return this.#closed || this.#owner?.aborted === true;
  }

  /**
   * Waits for work, whose signal aborts at the end of the wait.
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
    this.#ends.set(onClose, true);
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

  async pause(what: string, ms: number, signal: AbortSignal): Promise<void> {
    const over = deferred<void>();
    const cancel = this.#clock.setTimeout(() => over.resolve(), ms);
    try {
      await this.run({ what, timeout: 0, signal }, () => over.promise);
    } finally {
      cancel();
    }
  }

  /** Ends all waits, and later ones too, with a `ClosedError`. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#ends.keys()]) end();
  }
}
