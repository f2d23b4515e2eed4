import { type CancelTimer, type Clock, systemClock, type TimerOptions } from "../../src/core/clock.ts";

/** A clock that knows how many timers wait by it. */
export class CountingClock implements Clock {
  readonly #random: () => number;
  readonly #clock: Clock;
  #pending = 0;

  /** @param clock that of the platform, unless a test has another */
  constructor(random: () => number, clock: Clock = systemClock) {
    this.#random = random;
    this.#clock = clock;
  }

  get pending(): number {
    return this.#pending;
  }

  now(): number {
    return this.#clock.now();
  }

  wallTime(): number {
    return this.#clock.wallTime();
  }

  random(): number {
    return this.#random();
  }

  setTimeout(callback: () => void, delay: number, options?: TimerOptions): CancelTimer {
    let waits = true;
    const over = (): void => {
      if (waits) this.#pending--;
      waits = false;
    };
    this.#pending++;
    const cancel = this.#clock.setTimeout(
      () => {
        over();
        callback();
      },
      delay,
      options,
    );
    return () => {
      over();
      cancel();
    };
  }
}
