import { type CancelTimer, type Clock, systemClock, type TimerOptions } from "../../src/core/clock.ts";

/** The clock of the platform, which knows how many timers wait by it. */
export class CountingClock implements Clock {
  readonly #random: () => number;
  #pending = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  get pending(): number {
    return this.#pending;
  }

  now(): number {
    return systemClock.now();
  }

  wallTime(): number {
    return systemClock.wallTime();
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
    const cancel = systemClock.setTimeout(
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
