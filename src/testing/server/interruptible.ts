// Work that can be stopped at any wait.
import type { CancelTimer, Clock } from "../../core/clock.ts";

/** The result of a wait that `stop()` ended. */
export const STOPPED = Symbol("stopped");

/** Work that waits for one thing at a time. `stop()` ends the wait. */
export class Interruptible {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #interrupt: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborted when the work is stopped. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get stopped(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Ends the current wait and all later ones. */
  stop(): void {
    this.#controller.abort();
    this.#interrupt?.();
  }

  /** Waits for a promise, or for `stop()`. Uses one slot, since `Promise.race` would retain all losers. */
  unlessStopped<T>(value: T | Promise<T>): Promise<T | typeof STOPPED> {
    if (this.stopped) return Promise.resolve(STOPPED);
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve(STOPPED);
      Promise.resolve(value).then(resolve, reject);
    });
  }

  /** Waits this many ms of the clock, or for `stop()`. */
  async delay(ms: number): Promise<void> {
    let cancel: CancelTimer | undefined;
    await this.unlessStopped(
      new Promise<void>((resolve) => {
        cancel = this.#clock.setTimeout(resolve, ms, { unref: true }); // the server's socket keeps the process
      }),
    );
    cancel?.();
  }

  /** Waits for `stop()`. */
  async hang(): Promise<void> {
    await this.unlessStopped(new Promise(() => {}));
  }
}
