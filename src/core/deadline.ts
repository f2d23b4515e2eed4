import type { CancelTimer, Clock, TimerOptions } from "./clock.ts";

/**
 * A limit on silence: expires after `delay` ms without a `touch()`. A touch only stores the time, and the timer compares when it fires.
 * So a hot stream sets and clears no timers.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #delay: number;
  readonly #onExpire: () => void;
  readonly #options: TimerOptions | undefined;
  #last = 0;
  #cancel: CancelTimer | undefined;

  /** `delay` in ms; 0 never expires. */
  constructor(clock: Clock, delay: number, onExpire: () => void, options?: TimerOptions) {
    this.#clock = clock;
    this.#delay = delay;
    this.#onExpire = onExpire;
    this.#options = options;
  }

  get running(): boolean {
    return this.#cancel !== undefined;
  }

  /** Starts or restarts the limit. */
  start(): void {
    if (this.#delay === 0) return;
    this.#last = this.#clock.now();
    if (!this.#cancel) this.#arm(this.#delay);
  }

  /** Restarts the limit, if it runs. */
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
