import type { Clock } from "../clock.ts";
import { Deadline } from "../deadline.ts";

/** The limit on silence of one turn. Runs while the server works on the turn, and while nothing on this machine delays the turn. */
export class IdleClock {
  readonly #deadline: Deadline;
  readonly #isOpen: () => boolean;
  /** Whether the server is known to work on the turn. */
  #isActive = false;
  #holds = 0;

  /** @param timeout ms; 0: no limit. `isOpen`: whether the turn still takes events. */
  constructor(clock: Clock, timeout: number, isOpen: () => boolean, expire: () => void) {
    this.#deadline = new Deadline(clock, timeout, expire, { unref: true });
    this.#isOpen = isOpen;
  }

  /** The server works on the turn: starts or restarts the clock. */
  active(): void {
    this.#isActive = true;
    if (this.#holds === 0 && this.#isOpen()) this.#deadline.start();
  }

  /** An event arrived. Cheaper than `active`: this runs for each event. */
  touch(): void {
    if (this.#deadline.running) this.#deadline.touch();
    else this.active();
  }

  /** Stops the clock until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    this.#deadline.stop();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      if (this.#isActive) this.active();
    };
  }

  stop(): void {
    this.#deadline.stop();
  }
}
