// The keepalive pings of a Python server, without real pings.
import type { CancelTimer, Clock } from "../../core/clock.ts";

/** How often the real servers (uvicorn) ping a connection, in ms: its default. */
const PING_INTERVAL = 20_000;
/** How long they wait for the pong, in ms: its default. */
const PONG_TIMEOUT = 20_000;

/**
 * The pings of a Python server, as far as a client can tell that they exist. Pongs are taken to arrive at once while
 * the server reads. So no ping is really sent, and a timer runs only while the server does not read.
 */
export class MockKeepalive {
  readonly #clock: Clock;
  readonly #timedOut: () => void;
  /** When the intervals of the pings are counted from. */
  #base: number;
  #deadline: number | undefined;
  #cancelTimer: CancelTimer | undefined;

  /** @param timedOut is called when a pong was not read in time */
  constructor(clock: Clock, timedOut: () => void) {
    this.#clock = clock;
    this.#timedOut = timedOut;
    this.#base = clock.now();
  }

  /** From now on no pong is read: the next ping is the one that times out. */
  stopReading(): void {
    if (this.#deadline !== undefined) return;
    const now = this.#clock.now();
    const answered = Math.floor((now - this.#base) / PING_INTERVAL);
    this.#deadline = this.#base + (answered + 1) * PING_INTERVAL + PONG_TIMEOUT;
    this.#cancelTimer = this.#clock.setTimeout(this.#timedOut, this.#deadline - now, { unref: true });
  }

  /** What has come meanwhile is read, a pong included; the next ping is a whole interval away from that. */
  readAgain(): void {
    if (this.#deadline === undefined) return;
    const now = this.#clock.now();
    if (now >= this.#deadline - PONG_TIMEOUT) this.#base = now;
    this.stop();
  }

  /** The connection is over. */
  stop(): void {
    this.#cancelTimer?.();
    this.#deadline = undefined;
  }
}
