import type { CancelTimer, Clock, TimerOptions } from "../clock.ts";

/**
 * Commit, then tell. A call, a timer, a socket event or an abort is an *input*: it changes the state to the end. What is
 * to be written, and what the caller's code is to be told or asked, waits here until the outermost input is done.
 *
 *     input ──▶ commit ──▶ writes ──▶ tell ──▶ tell ──▶ ...
 *                                      └─ an input of a listener: commit ──▶ writes; its tells join the end
 *
 * So no code has to ask whether a listener has just changed the world, and no listener sees a half-made state.
 */
export class Outbox {
  /** Walked from the front while it grows, and emptied behind: what waits is never moved. */
  readonly #writes: (() => void)[] = [];
  readonly #tells: (() => void)[] = [];
  /** Inputs that are being committed, one within the other. */
  #depth = 0;
  /** The time of the input under way, once it has asked for the time: an input happens at one moment. */
  #now: number | undefined;
  #isWriting = false;
  #isTelling = false;

  /** An input begins; `leave` has to follow, also when it throws. Allocates nothing: frames take this way. */
  enter(): void {
    this.#depth++;
  }

  /** The input is committed. The outermost one writes, and then tells. */
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

  /** Uses a socket once the input is committed: a socket may call back, which is an input of its own. */
  write(write: () => void): void {
    this.#writes.push(write);
    this.#settle();
  }

  /** Calls the caller's code once the input is committed and written: a listener, a logger, an abort, a question. */
  tell(tell: () => void): void {
    this.#tells.push(tell);
    this.#settle();
  }

  /** The time of the input under way, by `clock`. */
  now(clock: Clock): number {
    if (this.#depth === 0) return clock.now();
    this.#now ??= clock.now();
    return this.#now;
  }

  /** A clock whose timers are inputs, and that stands still within one. */
  clock(clock: Clock): Clock {
    return new InputClock(clock, this);
  }

  /** Outside of an input there is nothing to wait for. */
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

/** Calls what waits, and what joins it meanwhile. The first error is thrown once all is called. */
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
