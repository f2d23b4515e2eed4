// Work that can be stopped wherever it waits.
import type { CancelTimer, Clock, TimerOptions } from "../../core/clock.ts";

/** What a wait gives that `stop()` has ended. */
export const STOPPED = Symbol("stopped");

/** Work that waits for one thing at a time, and can be stopped where it waits. */
export class Interruptible {
  readonly #clock: Clock;
  readonly #timers: TimerOptions;
  readonly #controller = new AbortController();
  #interrupt: (() => void) | undefined;

  /** @param timers whether a delay lets a process exit: a server's does, because its socket holds the client's process */
  constructor(clock: Clock, timers: TimerOptions = { unref: true }) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Aborted when the work was stopped. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get stopped(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Ends the wait under way, and all to come at once. */
  stop(): void {
    this.#controller.abort();
    this.#interrupt?.();
  }

  /** Waits for a promise, or for `stop()`. One slot instead of `Promise.race`, which would hold every loser. */
  unlessStopped<T>(value: T | Promise<T>): Promise<T | typeof STOPPED> {
    if (this.stopped) return Promise.resolve(STOPPED);
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve(STOPPED);
      Promise.resolve(value).then(resolve, reject);
    });
  }

  /** Waits so many ms of the clock, or for `stop()`. */
  async delay(ms: number): Promise<void> {
    let cancel: CancelTimer | undefined;
    await this.unlessStopped(
      new Promise<void>((resolve) => {
        cancel = this.#clock.setTimeout(resolve, ms, this.#timers);
      }),
    );
    cancel?.();
  }

  /** Waits for `stop()`. */
  async hang(): Promise<void> {
    await this.unlessStopped(new Promise(() => {}));
  }
}
