// Short waits by the clock, or for promise reactions.
import type { CancelTimer, Clock } from "../../core/clock.ts";

/** Promise reactions in a tick: more than a `for await` loop needs to take one event, so readers see each event before the next one. */
const REACTIONS = 8;

/** The pause of 0 ms: lets promise reactions run, and needs no timer. So tests with a clock of their own, or with fake timers, go on. */
export async function tick(): Promise<void> {
  for (let reaction = 0; reaction < REACTIONS; reaction++) await Promise.resolve();
}

/** Calls `then` after `ms` of the clock, or after a tick. */
export function after(clock: Clock, ms: number, then: () => void): CancelTimer {
  if (ms > 0) return clock.setTimeout(then, ms);
  let isWanted = true;
  void tick().then(() => {
    if (isWanted) then();
  });
  return () => {
    isWanted = false;
  };
}
