import type { CancelTimer, Clock, TimerOptions } from "./clock.ts";

/**
 * A limit on silence: expires once `delay` ms pass without a `touch()`. Touching only notes the time, so
 * a hot stream does not set and clear a timer for every frame; the timer finds out when it fires.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #delay: number;
  readonly #onExpire: () => void;
  readonly #options: TimerOptions | undefined;
  #last = 0;
  #cancel: CancelTimer | undefined;

  /** `delay` in ms; 0 makes a deadline that never expires. */
  constructor(clock: Clock, delay: number, onExpire: () => void, options?: TimerOptions) {
    this.#clock = clock;
    this.#delay = delay;
    this.#onExpire = onExpire;
    this.#options = options;
  }

  get running(): boolean {
    return this.#cancel !== undefined;
  }

  /** Starts over from now, running or not. */
  start(): void {
    if (this.#delay === 0) return;
    this.#last = this.#clock.now();
    if (!this.#cancel) this.#arm(this.#delay);
  }

  /** Counts from now, if it runs. */
  touch(): void {
    if (this.#cancel) this.#last = this.#clock.now();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(delay: number): void {
    this.#cancel = this.#clock.setTimeout(() => this.#check(), delay, this.#options);
  }

  #check(): void {
    this.#cancel = undefined;
    const left = this.#last + this.#delay - this.#clock.now();
    if (left > 0) this.#arm(left);
    else this.#onExpire();
  }
}
