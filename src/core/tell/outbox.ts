// Keeps socket writes and calls of the caller's code until the change of the state is complete.
import type { CancelTimer, Clock, TimerOptions } from "../clock.ts";

/**
 * Commit, then tell. A call, a timer, a socket event or an abort is an *input*: an input first changes the state completely. Writes, and
 * calls of the caller's code, wait here until the outermost input is done.
 *
 *     input ──▶ commit ──▶ writes ──▶ tell ──▶ tell ──▶ ...
 *                                      └─ an input of a listener: commit ──▶ writes; its tells join the end
 *
 * So no code has to check whether a listener has just changed the state, and no listener sees a half-made state.
 */
export class Outbox {
  /** Both lists are read from the front while they grow, and emptied at the end. No element is ever moved. */
  readonly #writes: (() => void)[] = [];
  readonly #tells: (() => void)[] = [];
  /** The number of nested inputs that are being committed. */
  #depth = 0;
  /** The time of the current input, once the input has read the time. One input has one time. */
  #now: number | undefined;
  #isWriting = false;
  #isTelling = false;

  /** Begins an input. `leave` must follow, also after a throw. Allocates nothing: this runs for each frame. */
  enter(): void {
    this.#depth++;
  }

  /** Commits the input. The outermost input then writes, and then tells. */
  leave(): void {
    if (--this.#depth > 0) return;
    this.#now = undefined;
    if (this.#isWriting) return;
    try {
      if (this.#writes.length > 0) this.#write();
    } finally {
      if (this.#tells.length > 0 && !this.#isTelling) this.#tell();
    }
  }

  /** Runs an input. */
  run<T>(input: () => T): T {
    this.enter();
    try {
      return input();
    } finally {
      this.leave();
    }
  }

  /** Uses a socket once the input is committed. The socket may call back at once: that call is another input. */
  write(write: () => void): void {
    this.#writes.push(write);
    this.#settle();
  }

  /** Calls the caller's code once the input is committed and written: a listener, a logger, an abort, a callback. */
  tell(tell: () => void): void {
    this.#tells.push(tell);
    this.#settle();
  }

  /** The time of the current input, by `clock`. */
  now(clock: Clock): number {
    if (this.#depth === 0) return clock.now();
    this.#now ??= clock.now();
    return this.#now;
  }

  /** A clock whose timers are inputs. The clock stands still during an input. */
  clock(clock: Clock): Clock {
    return new InputClock(clock, this);
  }

  /** Outside of an input, writes and tells at once. */
  #settle(): void {
    if (this.#depth > 0) return;
    this.enter();
    this.leave();
  }

  #write(): void {
    this.#isWriting = true;
    try {
      callAll(this.#writes);
    } finally {
      this.#isWriting = false;
    }
  }

  #tell(): void {
    this.#isTelling = true;
    try {
      callAll(this.#tells);
    } finally {
      this.#isTelling = false;
    }
  }
}

/** Calls all functions, also those added meanwhile. Throws the first error after the last call. */
function callAll(calls: (() => void)[]): void {
  let thrown: { readonly error: unknown } | undefined;
  for (let at = 0; at < calls.length; at++) {
    try {
      calls[at]?.();
    } catch (error) {
      thrown ??= { error };
    }
  }
  calls.length = 0;
  if (thrown) throw thrown.error;
}

class InputClock implements Clock {
  readonly #clock: Clock;
  readonly #outbox: Outbox;

  constructor(clock: Clock, outbox: Outbox) {
    this.#clock = clock;
    this.#outbox = outbox;
  }

  now(): number {
    return this.#outbox.now(this.#clock);
  }

  wallTime(): number {
    return this.#clock.wallTime();
  }

  random(): number {
    return this.#clock.random();
  }

  setTimeout(callback: () => void, delay: number, options?: TimerOptions): CancelTimer {
    return this.#clock.setTimeout(() => this.#outbox.run(callback), delay, options);
  }
}
