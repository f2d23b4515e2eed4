// A hook that counts the seconds since a time.
import { useEffect, useState } from "react";
import { type Clock, systemClock } from "../core/clock.ts";

const SECOND = 1_000;

/** Whole seconds since `from` (ms since the epoch), negative before. Renders each second. Without `from`: 0. */
export function useSeconds(
  from: number | undefined,
  clock: Pick<Clock, "wallTime" | "setTimeout"> = systemClock,
): number {
  const [, tick] = useState(0);
  const passed = from === undefined ? 0 : clock.wallTime() - from;
  useEffect(() => {
    if (from === undefined) return;
    let cancel = (): void => {};
    const wait = (): void => {
      const since = clock.wallTime() - from;
      cancel = clock.setTimeout(
        () => {
          tick((count) => count + 1);
          wait();
        },
        SECOND - (((since % SECOND) + SECOND) % SECOND),
      );
    };
    wait();
    return () => cancel();
  }, [from, clock]);
  return Math.floor(passed / SECOND);
}
