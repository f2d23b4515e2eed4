// The clock of a mock client: a pause of 0 ms is a tick, and no back-off is random.
import type { Clock } from "../../core/clock.ts";

/** Promise reactions in a tick: more than a `for await` loop needs to take one event, so readers see each event before the next one. */
const REACTIONS = 8;

/** The pause of 0 ms: lets promise reactions run, and needs no timer. So tests with a clock of their own, or with fake timers, go on. */
async function tick(): Promise<void> {
  for (let reaction = 0; reaction < REACTIONS; reaction++) await Promise.resolve();
}

/** The clock of a client: 0 ms are a tick, each timer holds the process because no socket does, and no back-off is random. */
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
