// The clock of a mock client: a delay of 0 ms is a tick, and backoff has no jitter.
import type { Clock } from "../../core/clock.ts";

/** Promise reactions per tick. A `for await` loop needs fewer, so a reader sees each event before the next one. */
const REACTIONS = 8;

/**
 * A delay of 0 ms: lets promise reactions run, without a timer. So tests with fake timers need not advance the time.
 */
async function tick(): Promise<void> {
  for (let reaction = 0; reaction < REACTIONS; reaction++) await Promise.resolve();
}

/** The clock of a client: 0 ms is a tick, backoff has no jitter, and timers keep the process alive. */
export function clientClock(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    wallTime: () => clock.wallTime(),
    random: () => 1,
    setTimeout(callback, delay) {
      if (delay > 0) return clock.setTimeout(callback, delay);
      let isWanted = true;
      void tick().then(() => {
        if (isWanted) callback();
      });
      return () => {
        isWanted = false;
      };
    },
  };
}
