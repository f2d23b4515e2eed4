// The server's wall clock.
import type { Clock } from "../../core/clock.ts";

const MINUTE = 60_000;

/** The server's wall clock, for token expiry and timestamps. */
export class ServerTime {
  readonly #clock: Clock;
  readonly #epoch: number;
  readonly #offset: number;
  /** The last timestamp, in microseconds. */
  #last = 0;

  /**
   * @param epoch the wall time when the clock is at zero, in ms since 1970
   * @param utcOffset the server's time zone, in minutes
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
   * Returns the server's local time in Python's format: without a zone, and without a zero fraction. Timestamps never
   * repeat, even if the clock stands still, as on the real server.
   */
  stamp(): string {
    const now = Math.floor((this.#epoch + this.#clock.now()) * 1000);
    this.#last = Math.max(this.#last + 1, now);
    return this.#written(this.#last);
  }

  /** Returns the age of a timestamp, in hours. */
  hoursSince(stamp: string): number {
    return (this.seconds * 1000 + this.#offset - Date.parse(`${stamp}Z`)) / (60 * MINUTE);
  }

  #written(micros: number): string {
    const date = new Date(Math.floor(micros / 1000) + this.#offset).toISOString().slice(0, 19);
    const fraction = micros % 1_000_000;
    return fraction === 0 ? date : `${date}.${String(fraction).padStart(6, "0")}`;
  }
}
