/**
 * Time and chance, injectable: every timer of the library goes through a {@link Clock}, so a test can
 * drive hours of back-off without sleeping.
 */
export interface Clock {
  /** Milliseconds since an arbitrary start; never runs backwards. */
  now(): number;
  /** The time of day, in ms since 1970: what tokens expire by. Jumps when somebody sets it, so it measures no spans. */
  wallTime(): number;
  /** A number in [0, 1), for jitter. */
  random(): number;
  /**
   * Calls `callback` once, after `delay` ms, and returns the function that calls it off.
   * Calling off twice, or after the callback ran, does nothing.
   */
  setTimeout(callback: () => void, delay: number, options?: TimerOptions): CancelTimer;
}

export interface TimerOptions {
  /** Whether the timer alone may end the process on Node: true for watchdogs of a socket that holds it anyway. @default false */
  readonly unref?: boolean;
}

export type CancelTimer = () => void;

/**
 * The longest delay a platform timer can hold, in ms (2^31 - 1, about 24.8 days).
 * A longer one would fire at once.
 */
export const MAX_DELAY = 2_147_483_647;

/** The clock of the platform. */
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
