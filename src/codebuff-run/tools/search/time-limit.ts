// A signal that ends a search after a time.
import type { Clock } from "../../../core/clock.ts";

/** ms of one search. */
export const TIME_LIMIT = 10_000;

/** The reason of a signal whose time is over. */
export class TimeLimitError extends Error {
  constructor() {
    super("the time limit is over");
    this.name = "TimeLimitError";
  }
}

/** A signal that ends with another one, or after a time. */
export interface LimitedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** @param ms with `Infinity` there is no limit */
export function limitedSignal(outer: AbortSignal, clock: Clock, ms: number): LimitedSignal {
  const controller = new AbortController();
  const cancel =
    ms === Infinity ? () => {} : clock.setTimeout(() => controller.abort(new TimeLimitError()), ms);
  const onAbort = (): void => controller.abort(outer.reason);
  outer.addEventListener("abort", onAbort, { once: true });
  if (outer.aborted) onAbort();
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      cancel();
      outer.removeEventListener("abort", onAbort);
    },
  };
}
