// The keepalive pings of a Python server, without real pings.
import type { CancelTimer, Clock } from "../../core/clock.ts";

/** The ping interval of the real servers (uvicorn's default), in ms. */
const PING_INTERVAL = 20_000;
/** How long they wait for the pong, in ms: its default. */
const PONG_TIMEOUT = 20_000;

/**
 * The pings of a Python server, as far as a client notices them. Pongs count as immediate while the server reads. So no
 * ping is really sent, and a timer runs only while the server does not read.
 */
export class MockKeepalive {
  readonly #clock: Clock;
  readonly #timedOut: () => void;
  /** The start of the ping intervals. */
  #base: number;
  #deadline: number | undefined;
  #cancelTimer: CancelTimer | undefined;

  /** @param timedOut called when a pong was not read in time */
  constructor(clock: Clock, timedOut: () => void) {
    this.#clock = clock;
    this.#timedOut = timedOut;
    this.#base = clock.now();
  }

  /** The server reads no pongs any more, so the next ping times out. */
  stopReading(): void {
    if (this.#deadline !== undefined) return;
    const now = this.#clock.now();
    const answered = Math.floor((now - this.#base) / PING_INTERVAL);
    this.#deadline = this.#base + (answered + 1) * PING_INTERVAL + PONG_TIMEOUT;
    this.#cancelTimer = this.#clock.setTimeout(this.#timedOut, this.#deadline - now, { unref: true });
  }

  /** The server reads what arrived meanwhile, including pongs. The next ping is a whole interval later. */
  readAgain(): void {
    if (this.#deadline === undefined) return;
    const now = this.#clock.now();
    if (now >= this.#deadline - PONG_TIMEOUT) this.#base = now;
    this.stop();
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#deadline = undefined;
  }
}
