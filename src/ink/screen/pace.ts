// Limits the screen to 25 frames a second.
import type { CancelTimer, Clock } from "../../core/clock.ts";

/** ms between two frames: at most 25 a second. Below 100 ms, a key seems to work at once. */
export const FRAME_INTERVAL = 40;

/** Calls `frame` after each request, once the last frame is at least {@link FRAME_INTERVAL} ms old. */
export class Pace {
  readonly #clock: Pick<Clock, "now" | "setTimeout">;
  readonly #frame: () => void;
  #last = Number.NEGATIVE_INFINITY;
  #cancel: CancelTimer | undefined;
  #isStopped = false;

  constructor(clock: Pick<Clock, "now" | "setTimeout">, frame: () => void) {
    this.#clock = clock;
    this.#frame = frame;
  }

  request(): void {
    if (this.#cancel || this.#isStopped) return;
    const wait = this.#last + FRAME_INTERVAL - this.#clock.now();
    if (wait <= 0) this.#run();
    else this.#cancel = this.#clock.setTimeout(() => this.#run(), wait);
  }

  start(): void {
    this.#isStopped = false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #run(): void {
    this.#cancel = undefined;
    this.#last = this.#clock.now();
    this.#frame();
  }
}
