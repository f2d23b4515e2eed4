// Pings a link, and declares it dead without a sign of life.
import type { CancelTimer, Clock } from "../clock.ts";

export interface KeepaliveTimes {
  /** ms between pings; 0 for none. */
  readonly interval: number;
  /** ms from a ping to the verdict that the link is dead; 0 for never. */
  readonly timeout: number;
}

/** The link to keep alive. */
export interface KeepaliveUser {
  /** Sends one ping; returns whether the ping was sent. */
  ping(): boolean;
  /** Whether the server's silence proves nothing right now. */
  excused(): boolean;
  /** No frame arrived within `timeout` ms after a ping. */
  onDead(timeout: number): void;
}

/** Pings a link. Declares the link dead if no proof of life follows in time. Runs until stopped. */
export class Keepalive {
  readonly #clock: Clock;
  readonly #times: KeepaliveTimes;
  readonly #user: KeepaliveUser;
  #cancelPing: CancelTimer | undefined;
  /** When the last ping was answered. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** Runs from a ping to the verdict. A field, because each frame reads it: a call would cost more. */
  cancelVerdict: CancelTimer | undefined;

  constructor(clock: Clock, times: KeepaliveTimes, user: KeepaliveUser) {
    this.#clock = clock;
    this.#times = times;
    this.#user = user;
    this.#schedule();
  }

  /** Proof of life arrived. */
  alive(): void {
    if (this.cancelVerdict) this.#answeredAt = this.#clock.now();
    this.#disarm();
  }

  /** Whether a ping was answered less than `time` ms ago. */
  wasAnsweredWithin(time: number): boolean {
    return this.#clock.now() - this.#answeredAt < time;
  }

  /** The server's silence is no longer excused: the time limit for its answer starts now. */
  due(): void {
    this.#disarm();
    this.#arm();
  }

  /** Sends a ping, such as one that could not be sent when it was due. The next ping follows one interval later. */
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
