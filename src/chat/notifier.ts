import type { Unsubscribe } from "../core/client/events.ts";

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
  #isClosed = false;

  constructor(onThrow: (error: unknown) => void) {
    this.#onThrow = onThrow;
  }

  subscribe(listener: Listener): Unsubscribe {
    if (this.#isClosed) return () => {};
    const key = {};
    this.#listeners.set(key, listener);
    return () => void this.#listeners.delete(key);
  }

  changed(): void {
    if (this.#isDue || this.#listeners.size === 0) return;
    this.#isDue = true;
    queueMicrotask(() => this.#tell());
  }

  /** Tells the last change, and then nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    queueMicrotask(() => {
      this.#tell();
      this.#listeners.clear();
    });
  }

  #tell(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    for (const [key, listener] of [...this.#listeners]) {
      if (this.#listeners.has(key)) this.#call(listener); // an earlier listener may have removed it
    }
  }

  #call(listener: Listener): void {
    try {
      const later = listener();
      if (later instanceof Promise) later.catch((error: unknown) => this.#onThrow(error));
    } catch (error) {
      this.#onThrow(error);
    }
  }
}
