// The server's wall clock.
import type { Clock } from "../../core/clock.ts";

const MINUTE = 60_000;

/** The wall clock of the server: what its tokens expire by, and what it stamps on its frames. */
export class ServerTime {
  readonly #clock: Clock;
  readonly #epoch: number;
  readonly #offset: number;
  /** The last stamp, in microseconds. */
  #last = 0;

  /**
   * @param epoch the time of day, in ms since 1970, at which the clock stands at zero
   * @param utcOffset of the server's zone, in minutes
   */
  constructor(clock: Clock, epoch: number, utcOffset: number) {
    this.#clock = clock;
    this.#epoch = epoch;
    this.#offset = utcOffset * MINUTE;
  }

  /** Seconds since 1970. */
  get seconds(): number {
    return (this.#epoch + this.#clock.now()) / 1000;
  }

  /**
   * The server's local time as Python writes it: no zone, and no fraction where it is zero. No two are the same, also
   * where the clock stands still: of the real server's, none are.
   */
  stamp(): string {
    const now = Math.floor((this.#epoch + this.#clock.now()) * 1000);
    this.#last = Math.max(this.#last + 1, now);
    return this.#written(this.#last);
  }

  /** How long ago it was that a stamp said, in hours. */
  hoursSince(stamp: string): number {
    return (this.seconds * 1000 + this.#offset - Date.parse(`${stamp}Z`)) / (60 * MINUTE);
  }

  #written(micros: number): string {
    const date = new Date(Math.floor(micros / 1000) + this.#offset).toISOString().slice(0, 19);
    const fraction = micros % 1_000_000;
    return fraction === 0 ? date : `${date}.${String(fraction).padStart(6, "0")}`;
  }
}
