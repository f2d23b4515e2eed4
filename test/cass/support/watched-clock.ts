import { ManualClock } from "agentwire/testing";
import type { CancelTimer } from "../../../src/core/clock.ts";

/** A clock that can be waited for: with a real server, nobody else knows when a client has begun to wait. */
export class WatchedClock extends ManualClock {
  readonly #watchers = new Map<number, () => void>();

  override setTimeout(callback: () => void, delay: number): CancelTimer {
    const cancel = super.setTimeout(callback, delay);
    this.#watchers.get(delay)?.();
    this.#watchers.delete(delay);
    return cancel;
  }

  /** Lets what waits for so long from now on, or begins to later, wait no longer. */
  async pass(delay: number): Promise<void> {
    if (this.next !== delay) await new Promise<void>((resolve) => this.#watchers.set(delay, resolve));
    await this.advance(delay);
  }
}
