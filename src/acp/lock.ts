// A lock: one holder at a time, the others in order.
import { Queue } from "../core/queue.ts";

export class Lock {
  readonly #waiting = new Queue<() => void>();
  #isHeld = false;

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Resolves when the lock is free, and holds it until `release`. */
  take(): Promise<void> {
    if (!this.#isHeld) {
      this.#isHeld = true;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  release(): void {
    const next = this.#waiting.take();
    if (next) next();
    else this.#isHeld = false;
  }
}
