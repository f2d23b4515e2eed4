import type { CancelTimer, Clock } from "../clock.ts";

export interface KeepaliveSetup {
  readonly clock: Clock;
  /** ms between pings; 0 for none. */
  readonly interval: number;
  /** ms from a ping to the verdict that the link is dead; 0 for never. */
  readonly timeout: number;
  /** Sends one ping; returns whether it could. */
  readonly ping: () => boolean;
  /** Whether the server's silence proves nothing right now. */
  readonly excused: () => boolean;
  readonly dead: () => void;
}

/** Pings a link, and declares it dead when one goes without proof of life. Runs until stopped. */
export class Keepalive {
  readonly #setup: KeepaliveSetup;
  #cancelPing: CancelTimer | undefined;
  #cancelVerdict: CancelTimer | undefined;

  constructor(setup: KeepaliveSetup) {
    this.#setup = setup;
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
    const { clock, interval } = this.#setup;
    if (interval > 0) this.#cancelPing = clock.setTimeout(() => this.#ping(), interval, { unref: true });
  }

  #ping(): void {
    this.#schedule();
    const armed = this.#cancelVerdict !== undefined;
    if (!armed) this.#arm();
    if (!this.#setup.ping() && !armed) this.alive(); // without a ping its silence says nothing
  }

  #arm(): void {
    const { clock, timeout } = this.#setup;
    if (timeout > 0) this.#cancelVerdict = clock.setTimeout(() => this.#judge(), timeout, { unref: true });
  }

  #judge(): void {
    this.#cancelVerdict = undefined;
    if (!this.#setup.excused()) this.#setup.dead();
  }
}
