import { setImmediate } from "node:timers/promises";
import type { ManualClock, MockAcpAgent } from "agentwire/testing";

/** Rounds of the event loop without a change, after which nothing moves but by the clock. */
const QUIET = 2;

/** Rounds without a change and without a timer, after which a wait is a hang. */
const STUCK = 200;

/** ms that files and commands of this machine may take. */
const PATIENCE = 20_000;

export interface World {
  readonly clock: ManualClock;
  readonly agent: MockAcpAgent;
  readonly stir: () => number;
  readonly isAtWork: () => boolean;
}

/**
 * Moves the clock whenever nothing else moves, until `waited` settles.
 * @param world `stir` counts what the client does; `isAtWork`: real files or commands are under way
 * @returns false if `waited` hangs
 */
export async function pump(
  waited: Promise<unknown>,
  { clock, agent, stir, isAtWork }: World,
): Promise<boolean> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  void waited.then(over, over);
  let seen = -1;
  let quiet = 0;
  let since = performance.now();
  while (!isOver) {
    await setImmediate();
    const now = agent.lines.length + stir();
    if (now !== seen) {
      seen = now;
      quiet = 0;
      since = performance.now();
    } else if (++quiet > QUIET) {
      if (isAtWork() && performance.now() - since < PATIENCE) continue;
      const { next } = clock;
      if (next !== undefined) {
        quiet = 0;
        await clock.advance(next);
      } else if (quiet > STUCK) return false;
    }
  }
  return true;
}
