// The wait between two connection attempts, and what ends it early.
import type { CancelTimer, Clock } from "../clock.ts";
import type { AttemptCount } from "./backoff.ts";

interface EventSource {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

interface Page extends EventSource {
  readonly visibilityState: string;
}

/** The wait between two attempts. Ends early when a call needs the connection or the browser wakes up. */
export class BackoffWait {
  readonly #clock: Clock;
  readonly #count: AttemptCount;
  readonly #over: () => void;
  readonly #stopListening: () => void;
  /** The planned start of the next attempt. */
  #due: number;
  #cancelTimer: CancelTimer;

  /** Calls `over` after `delay` ms, or earlier. */
  constructor(clock: Clock, count: AttemptCount, delay: number, over: () => void) {
    this.#clock = clock;
    this.#count = count;
    this.#over = over;
    this.#due = clock.now() + delay;
    this.#cancelTimer = clock.setTimeout(over, delay);
    this.#stopListening = onWake(over);
  }

  /** Starts the next attempt earlier, because a call needs the connection. */
  hurry(): void {
    const now = this.#clock.now();
    const due = this.#count.hurry(now, this.#due);
    if (due === this.#due) return;
    this.#due = due;
    this.#cancelTimer();
    if (due === now) this.#over();
    else this.#cancelTimer = this.#clock.setTimeout(this.#over, due - now);
  }

  cancel(): void {
    this.#cancelTimer();
    this.#stopListening();
  }
}

/** Calls `wake` when a browser is online or visible again. Returns a function that removes the listeners. */
export function onWake(wake: () => void): () => void {
  const { addEventListener, removeEventListener, document } = globalThis as Partial<EventSource> & {
    document?: Page;
  };
  const onVisible = (): void => {
    if (document?.visibilityState === "visible") wake();
  };
  addEventListener?.("online", wake);
  document?.addEventListener("visibilitychange", onVisible);
  return () => {
    removeEventListener?.("online", wake);
    document?.removeEventListener("visibilitychange", onVisible);
  };
}
