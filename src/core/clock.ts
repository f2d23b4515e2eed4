// Time and random numbers, replaceable in tests. Time limits and idle limits that are cheap to restart.

/** The source of time and random numbers. Tests pass their own, to run hours of backoff at once. */
export interface Clock {
  /** ms since an arbitrary start. Never decreases. */
  now(): number;
  /** The time of day, in ms since the epoch, for the expiry of tokens. Jumps when the system clock is set. */
  wallTime(): number;
  /** A number in [0, 1), for jitter. */
  random(): number;
  /** Calls `callback` once, after `delay` ms. The returned function cancels the timer at any time. */
  setTimeout(callback: () => void, delay: number, options?: TimerOptions): CancelTimer;
}

export interface TimerOptions {
  /** Allows a Node process to exit while the timer runs. @default false */
  readonly unref?: boolean;
}

export type CancelTimer = () => void;

/** The longest delay of a platform timer, in ms (about 24.8 days). A longer one would fire at once. */
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

/** An idle limit of `delay` ms. A `touch()` only stores the time, so that many events need no new timers. */
export class Deadline {
  readonly #clock: Clock;
  readonly #delay: number;
  readonly #onExpire: () => void;
  readonly #options: TimerOptions | undefined;
  #last = 0;
  #cancel: CancelTimer | undefined;

  /** `delay` in ms. With 0 it never expires. */
  constructor(clock: Clock, delay: number, onExpire: () => void, options?: TimerOptions) {
    this.#clock = clock;
    this.#delay = delay;
    this.#onExpire = onExpire;
    this.#options = options;
  }

  get running(): boolean {
    return this.#cancel !== undefined;
  }

  start(): void {
    if (this.#delay === 0) return;
    this.#last = this.#clock.now();
    if (!this.#cancel) this.#arm(this.#delay);
  }

  /** Restarts the limit, if it is running. */
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

/** The idle limit of a turn. Runs while the server works and nothing on this machine delays it. */
export class IdleClock {
  readonly #deadline: Deadline;
  readonly #isOpen: () => boolean;
  /** Whether the server is known to work on the turn. */
  #isActive = false;
  #holds = 0;

  /** @param timeout ms. 0: no limit. `isOpen`: whether the turn still accepts events. */
  constructor(clock: Clock, timeout: number, isOpen: () => boolean, expire: () => void) {
    this.#deadline = new Deadline(clock, timeout, expire, { unref: true });
    this.#isOpen = isOpen;
  }

  /** Starts or restarts the limit, because the server is working on the turn. */
  active(): void {
    this.#isActive = true;
    if (this.#holds === 0 && this.#isOpen()) this.#deadline.start();
  }

  /** Restarts the limit after an event. Cheaper than `active`, because it runs for each event. */
  touch(): void {
    if (this.#deadline.running) this.#deadline.touch();
    else this.active();
  }

  /** Stops the limit until the returned function is called. */
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

/** Starts a time limit in ms. 0: no limit. */
export function startLimit(
  clock: Clock,
  limit: number,
  expire: () => void,
  options?: TimerOptions,
): CancelTimer {
  return limit === 0 ? () => {} : clock.setTimeout(expire, limit, options);
}
