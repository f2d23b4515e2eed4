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
