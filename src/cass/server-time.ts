// The server's timestamps, which are compared only with each other.

/** The server's local time, without a zone, with or without a fraction of a second. */
const STAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$/;

const DAY = 86_400_000;

/** A timestamp of the server, in a form that compares as text; undefined for any other value. */
export function serverStamp(value: unknown): string | undefined {
  if (typeof value !== "string" || !STAMP.test(value)) return undefined;
  const [second = "", fraction = ""] = value.split(".");
  return `${second}.${fraction.padEnd(6, "0")}`;
}

/** The ms between two timestamps. */
export function msBetween(earlier: string, later: string): number {
  return Date.parse(`${later}Z`) - Date.parse(`${earlier}Z`);
}

/** A timestamp, and when it came by this machine's clock, in ms. */
export interface ReceivedTime {
  readonly stamp: string;
  readonly at: number;
}

/**
 * The server's latest timestamp. Timestamps are compared only with each other. A server whose clock goes back an hour keeps its latest
 * timestamp: an answer that was stored before then must not be taken for a later one. A timestamp that is more than a day from all
 * others is odd, and stands only until the next one, unless it is the time of an answer.
 */
export class ServerTimes {
  #latest: ReceivedTime | undefined;
  #lone: ReceivedTime | undefined;

  get latest(): ReceivedTime | undefined {
    return later(this.#latest, this.#lone);
  }

  /** `isAnswer`: the server has stored an answer at that time. */
  note(value: unknown, at: number, isAnswer = false): void {
    const stamp = serverStamp(value);
    if (stamp === undefined) return;
    const time = { stamp, at };
    const lone = isNear(this.#lone, time) ? this.#lone : undefined;
    if (isAnswer || lone || isNear(this.#latest, time)) {
      this.#latest = later(later(this.#latest, lone), time);
      this.#lone = undefined;
    } else if (!this.#latest || stamp > this.#latest.stamp) this.#lone = time;
  }
}

function later(one: ReceivedTime | undefined, other: ReceivedTime | undefined): ReceivedTime | undefined {
  return one && other && one.stamp > other.stamp ? one : (other ?? one);
}

/** Whether two timestamps are at most a day apart. */
function isNear(one: ReceivedTime | undefined, other: ReceivedTime): boolean {
  if (!one) return false;
  const isSameDay = one.stamp.startsWith(other.stamp.slice(0, 10)); // of each message: parsing both would take longer
  return isSameDay || Math.abs(msBetween(one.stamp, other.stamp)) <= DAY;
}
