// A clock that moves only when a test advances it.
import type { CancelTimer, Clock } from "../core/clock.ts";
import { checkMockNames } from "./names.ts";
import { settle } from "./settle.ts";

/** One pending timer of a {@link ManualClock}. */
interface Waiting {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when a test advances it. Pass it to a client (option `clock`), then call `advance()` to run
 * through pings, timeouts and backoff without waiting. The sockets stay real: before advancing, wait for something that
 * the client has received (an event, a status), not for something that the server has sent. Leave the mock server on
 * the platform's clock, unless you test its timers.
 *
 * `random` is the source of every jitter, 0.5 by default. `epoch` is the wall time when the clock is at zero, in ms
 * since 1970. By default it is the time of creation, so that tokens from a server on the platform's clock have not
 * expired.
 */
export class ManualClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #waiting = new Set<Waiting>();
  readonly #random: () => number;
  readonly #epoch: number;

  /** @throws InvalidInputError for an unknown option */
  constructor(options: { readonly random?: number | (() => number); readonly epoch?: number } = {}) {
    checkMockNames(options, { random: true, epoch: true }, "option");
    const { random = 0.5, epoch = Date.now() } = options;
    this.#random = typeof random === "number" ? () => random : random;
    this.#epoch = epoch;
  }

  now(): number {
    return this.#now;
  }

  wallTime(): number {
    return this.#epoch + this.#now;
  }

  random(): number {
    return this.#random();
  }

  setTimeout(callback: () => void, delay: number): CancelTimer {
    const timer: Waiting = { at: this.#now + Math.max(0, delay), order: this.#order++, callback };
    this.#waiting.add(timer);
    return () => void this.#waiting.delete(timer);
  }

  /** The number of pending timers: zero once everything that a test started has ended. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Milliseconds until the next timer, or `undefined` without a timer. */
  get next(): number | undefined {
    const timer = this.#earliest();
    return timer && timer.at - this.#now;
  }

  /**
   * Advances time by `ms` and runs all due timers, in order of time, then of creation. A timer that a callback sets
   * runs too if it is due in the span. Promise reactions run between two timers, so awaiting code sees the same order
   * as with a real clock.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let timer = this.#earliest(); timer && timer.at <= end; timer = this.#earliest()) {
      this.#waiting.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
      await settle();
    }
    this.#now = end;
  }

  #earliest(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const timer of this.#waiting) {
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}
