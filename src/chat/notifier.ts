import type { Unsubscribe } from "../core/client/events.ts";
import { reportError } from "../universal/listen/report-error.ts";

type Listener = () => unknown;

/**
 * Tells listeners that something has changed: once per microtask, however much has changed. A listener that throws stops no other; its
 * error goes to `onThrow`.
 */
export class Notifier {
  readonly #onThrow: (error: unknown) => void;
  /** Keyed by subscription: the same function may subscribe twice. */
  readonly #listeners = new Map<object, Listener>();
  #isDue = false;

  constructor(onThrow: (error: unknown) => void) {
    this.#onThrow = onThrow;
  }

  subscribe(listener: Listener): Unsubscribe {
    const key = {};
    this.#listeners.set(key, listener);
    return () => void this.#listeners.delete(key);
  }

  changed(): void {
    if (this.#isDue || this.#listeners.size === 0) return;
    this.#isDue = true;
    queueMicrotask(() => this.#tell());
  }

  #tell(): void {
    this.#isDue = false;
    for (const [key, listener] of [...this.#listeners]) {
      if (this.#listeners.has(key)) this.#call(listener); // an earlier listener may have removed it
    }
  }

  #call(listener: Listener): void {
    try {
      const later = listener();
      if (later instanceof Promise) later.catch((error: unknown) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    try {
      this.#onThrow(error);
    } catch (second) {
      reportError(second); // a handler that throws stops no listener either
    }
  }
}
