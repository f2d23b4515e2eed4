// Time and random numbers, which tests inject; time limits and idle limits that are cheap to restart.

/** The time and the random numbers of the whole library. A test injects its own clock, and runs hours of back-off without sleeping. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never decreases. */
  now(): number;
  /** The time of day, in ms since 1970, for the expiry of tokens. Jumps when the system clock is set. */
  wallTime(): number;
  /** A number in [0, 1), for jitter. */
  random(): number;
  /** Calls `callback` once, after `delay` ms. The returned function cancels the timer, and may be called at any time. */
  setTimeout(callback: () => void, delay: number, options?: TimerOptions): CancelTimer;
}

export interface TimerOptions {
  /** Allows a Node process to exit although the timer runs. @default false */
  readonly unref?: boolean;
}

export type CancelTimer = () => void;

/** ms; the longest delay of a platform timer (about 24.8 days). A longer one would fire at once. */
export const MAX_DELAY = 2_147_483_647;

export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => Date.now(),
  random: () => Math.random(),
  setTimeout(callback, delay, options) {
    const timer: unknown = setTimeout(callback, Math.min(delay, MAX_DELAY));
    if (options?.unref && canUnref(timer)) timer.unref();
    return () => clearTimeout(timer as number);
  },
};

function canUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}

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

/** The limit on silence of one turn. Runs while the server works on the turn, and while nothing on this machine delays the turn. */
export class IdleClock {
  readonly #deadline: Deadline;
  readonly #isOpen: () => boolean;
  /** Whether the server is known to work on the turn. */
  #isActive = false;
  #holds = 0;

  /** @param timeout ms; 0: no limit. `isOpen`: whether the turn still takes events. */
  constructor(clock: Clock, timeout: number, isOpen: () => boolean, expire: () => void) {
    this.#deadline = new Deadline(clock, timeout, expire, { unref: true });
    this.#isOpen = isOpen;
  }

  /** The server works on the turn: starts or restarts the clock. */
  active(): void {
    this.#isActive = true;
    if (this.#holds === 0 && this.#isOpen()) this.#deadline.start();
  }

  /** An event arrived. Cheaper than `active`: this runs for each event. */
  touch(): void {
    if (this.#deadline.running) this.#deadline.touch();
    else this.active();
  }

  /** Stops the clock until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    this.#deadline.stop();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      if (this.#isActive) this.active();
    };
  }

  stop(): void {
    this.#deadline.stop();
  }
}

/** Starts the time limit of one step, in ms; 0: no limit. */
export function limited(
  clock: Clock,
  limit: number,
  expire: () => void,
  options?: TimerOptions,
): CancelTimer {
  return limit === 0 ? () => {} : clock.setTimeout(expire, limit, options);
}
