import type { CancelTimer, Clock } from "../clock.ts";

export interface KeepaliveTimes {
  /** ms between pings; 0 for none. */
  readonly interval: number;
  /** ms from a ping to the verdict that the link is dead; 0 for never. */
  readonly timeout: number;
}

/** The link that is kept alive. */
export interface KeepaliveUser {
  /** Sends one ping; returns whether it could. */
  ping(): boolean;
  /** Whether the server's silence proves nothing right now. */
  excused(): boolean;
  /** Nothing came within `timeout` ms of a ping. */
  onDead(timeout: number): void;
}

/** Pings a link, and declares the link dead when no proof of life follows. Runs until stopped. */
export class Keepalive {
  readonly #clock: Clock;
  readonly #times: KeepaliveTimes;
  readonly #user: KeepaliveUser;
  #cancelPing: CancelTimer | undefined;
  /** Runs from a ping to the verdict. Read for each frame: a call would cost more. */
  cancelVerdict: CancelTimer | undefined;

  constructor(clock: Clock, times: KeepaliveTimes, user: KeepaliveUser) {
    this.#clock = clock;
    this.#times = times;
    this.#user = user;
    this.#schedule();
  }

  /** Proof of life arrived. */
  alive(): void {
    if (!this.cancelVerdict) return;
    this.cancelVerdict();
    this.cancelVerdict = undefined;
  }

  /** The server has no excuse any more: the limit for its answer counts from now. */
  due(): void {
    this.alive();
    this.#arm();
  }

  /** Pings now; the next ping follows an interval later. */
  pingNow(): void {
    this.#cancelPing?.();
    this.#ping();
  }

  stop(): void {
    this.#cancelPing?.();
    this.alive();
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
    if (!this.#user.ping() && !armed) this.alive(); // no ping was sent, so silence proves nothing
  }

  #arm(): void {
    const { timeout } = this.#times;
    if (timeout > 0)
      this.cancelVerdict = this.#clock.setTimeout(() => this.#judge(), timeout, { unref: true });
  }

  #judge(): void {
    this.cancelVerdict = undefined;
    if (!this.#user.excused()) this.#user.onDead(this.#times.timeout);
  }
}
