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

/** A signal that aborts with another signal, or after a time. @param ms `Infinity`: no limit */
export function limitedSignal(outer: AbortSignal, clock: Clock, ms: number) {
  const limit = new AbortController();
  const expire = (): void => limit.abort(new TimeLimitError());
  const cancel = ms === Infinity ? () => {} : clock.setTimeout(expire, ms);
  return { signal: AbortSignal.any([outer, limit.signal]), [Symbol.dispose]: cancel };
}
