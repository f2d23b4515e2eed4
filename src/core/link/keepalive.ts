// Pings a connection, and reports it as dead without a sign of life.
import type { CancelTimer, Clock } from "../clock.ts";

export interface KeepaliveTimes {
  /** ms between pings. 0: no pings. */
  readonly interval: number;
  /** ms from a ping until the connection counts as dead. 0: never. */
  readonly timeout: number;
}

export interface KeepaliveUser {
  /** Sends one ping. Returns whether it was sent. */
  ping(): boolean;
  /** Whether the server may leave pings unanswered right now, so that silence proves nothing. */
  excused(): boolean;
  /** There was no sign of life within `timeout` ms after a ping. */
  onDead(timeout: number): void;
}

/** Pings a connection. Reports it as dead if no sign of life follows in time. Runs until stopped. */
export class Keepalive {
  readonly #clock: Clock;
  readonly #times: KeepaliveTimes;
  readonly #user: KeepaliveUser;
  #cancelPing: CancelTimer | undefined;
  /** When the last ping was answered. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** Cancels the timer from a ping to the verdict. A field instead of a call, because each frame reads it. */
  cancelVerdict: CancelTimer | undefined;

  constructor(clock: Clock, times: KeepaliveTimes, user: KeepaliveUser) {
    this.#clock = clock;
    this.#times = times;
    this.#user = user;
    this.#schedule();
  }

  /** Notes a sign of life. */
  alive(): void {
    if (this.cancelVerdict) this.#answeredAt = this.#clock.now();
    this.#disarm();
  }

  /** Whether a ping was answered less than `time` ms ago. */
  wasAnsweredWithin(time: number): boolean {
    return this.#clock.now() - this.#answeredAt < time;
  }

  /** Restarts the time limit for the server's answer, because its silence counts again. */
  due(): void {
    this.#disarm();
    this.#arm();
  }

  /** Sends a ping that could not be sent when it was due. The next ping follows one interval later. */
  pingNow(): void {
    this.#cancelPing?.();
    this.#ping();
  }

  stop(): void {
    this.#cancelPing?.();
    this.#disarm();
  }

  #schedule(): void {
    const { interval } = this.#times;
    if (interval > 0)
      this.#cancelPing = this.#clock.setTimeout(() => this.#ping(), interval, { unref: true });
  }

  #ping(): void {
    this.#schedule();
    const armed = this.cancelVerdict !== undefined;
    if (!armed) this.#arm();
    if (!this.#user.ping() && !armed) this.#disarm(); // no ping was sent, so silence proves nothing
  }

  #arm(): void {
    const { timeout } = this.#times;
    if (timeout > 0)
      this.cancelVerdict = this.#clock.setTimeout(() => this.#judge(), timeout, { unref: true });
  }

  #disarm(): void {
    this.cancelVerdict?.();
    this.cancelVerdict = undefined;
  }

  #judge(): void {
    this.cancelVerdict = undefined;
    if (!this.#user.excused()) this.#user.onDead(this.#times.timeout);
  }
}
