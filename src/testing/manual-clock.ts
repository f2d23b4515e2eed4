// A clock that moves only when a test says so.
import type { CancelTimer, Clock } from "../core/clock.ts";
import { checkMockNames } from "./names.ts";
import { settle } from "./settle.ts";

/** One timer that waits in a {@link ManualClock}. */
interface Waiting {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when a test says so. Give it to a client (`clock` option), then `advance()`
 * through pings, time-outs and back-off without sleeping. The sockets stay real: before advancing, wait
 * for something that the client has seen (an event, a status), not for something that the server has sent.
 * Leave the mock server on the platform's clock, unless its own timers are what is tested.
 *
 * Randomness is injected too: `random` is what every jitter reads, 0.5 unless set. So is the time of day: `epoch` is when
 * the clock stands at zero, in ms since 1970; by default that is when it is made, so that tokens of a server on the
 * platform's clock have not expired.
 */
export class ManualClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #waiting = new Set<Waiting>();
  readonly #random: () => number;
  readonly #epoch: number;

  /** @throws InvalidInputError for an option that does not exist */
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

  /** How many timers wait: zero once everything that a test started has ended. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Milliseconds until the next timer, or `undefined` when none waits. */
  get next(): number | undefined {
    const timer = this.#earliest();
    return timer && timer.at - this.#now;
  }

  /**
   * Moves time forward by `ms`, running every timer that comes due, in order of its time and then of
   * its making; a timer that a callback sets within the span runs too. Promise reactions run between
   * two timers, so that code which awaits sees the same order as with a real clock.
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
