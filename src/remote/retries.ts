// The waits between attempts: full jitter, and an early end when a browser wakes up or a caller is waiting.
import type { Clock } from "../core/clock.ts";
import { jittered } from "../core/link/backoff.ts";
import { onWake } from "../core/link/backoff-wait.ts";

/** The maximum of the first random wait, and of all waits, in ms. */
const MIN_DELAY = 500;
const MAX_DELAY = 30_000;

/** The waits between attempts. */
export class Retries {
  readonly #clock: Clock;
  #failed = 0;
  #end: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The next wait. @param atLeast what the server asks for, in ms */
  next(atLeast = 0): { readonly attempt: number; readonly delay: number } {
    const jitter = jittered(this.#clock.random(), MIN_DELAY, MAX_DELAY, this.#failed);
    return { attempt: ++this.#failed, delay: Math.max(jitter, Math.min(atLeast, MAX_DELAY)) };
  }

  wait(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        off();
        this.#end = undefined;
        resolve();
      };
      const cancel = this.#clock.setTimeout(end, delay);
      const off = onWake(end);
      this.#end = end;
    });
  }

  /** Ends the wait. */
  hurry(): void {
    this.#end?.();
  }

  /** An attempt has worked: the next wait is short again. */
  forgive(): void {
    this.#failed = 0;
  }
}
