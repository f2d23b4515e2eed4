// A signal with a time limit, for searches.
import type { Clock } from "../../../core/clock.ts";

/** ms per search. */
export const TIME_LIMIT = 10_000;

export class TimeLimitError extends Error {
  constructor() {
    super("the time limit is over");
    this.name = "TimeLimitError";
  }
}

/** Aborts with another signal, or after a time. */
export interface LimitedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** @param ms `Infinity`: no limit */
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
