import type { CancelTimer, Clock } from "../clock.ts";

export interface KeepaliveTimes {
  /** ms between pings; 0 for none. */
  readonly interval: number;
  /** ms from a ping to the verdict that the link is dead; 0 for never. */
  readonly timeout: number;
}

/** Who pings, and hears the verdict. */
export interface KeepaliveUser {
  /** Sends one ping; returns whether it could. */
  ping(): boolean;
  /** Whether the server's silence proves nothing right now. */
  excused(): boolean;
  /** No life within `timeout` ms of a ping. */
  onDead(timeout: number): void;
}

/** Pings a link, and declares it dead when one goes without proof of life. Runs until stopped. */
export class Keepalive {
  readonly #clock: Clock;
  readonly #times: KeepaliveTimes;
  readonly #user: KeepaliveUser;
  #cancelPing: CancelTimer | undefined;
  #cancelVerdict: CancelTimer | undefined;

  constructor(clock: Clock, times: KeepaliveTimes, user: KeepaliveUser) {
    this.#clock = clock;
    this.#times = times;
    this.#user = user;
    this.#schedule();
  }

  /** Proof of life arrived. */
  alive(): void {
    if (!this.#cancelVerdict) return;
    this.#cancelVerdict();
    this.#cancelVerdict = undefined;
  }

  /** What excused the server's silence is over: an answer that is still due counts from now. */
  due(): void {
    this.alive();
    this.#arm();
  }

  /** Pings now, because a ping could not be sent when it was due. The next one follows an interval later. */
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
    const armed = this.#cancelVerdict !== undefined;
    if (!armed) this.#arm();
    if (!this.#user.ping() && !armed) this.alive(); // without a ping its silence says nothing
  }

  #arm(): void {
    const { timeout } = this.#times;
    if (timeout > 0)
      this.#cancelVerdict = this.#clock.setTimeout(() => this.#judge(), timeout, { unref: true });
  }

  #judge(): void {
    this.#cancelVerdict = undefined;
    if (!this.#user.excused()) this.#user.onDead(this.#times.timeout);
  }
}
