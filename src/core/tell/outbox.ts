// Delays socket writes and calls of the caller's code until the state has changed completely.
import type { CancelTimer, Clock, TimerOptions } from "../clock.ts";
import { Queue } from "../queue.ts";

/**
 * Commit, then tell. A call, a timer, a socket event and an abort are *inputs*. An input first changes the state
 * completely. Socket writes and calls of the caller's code wait here until the outermost input has ended.
 *
 *     input ──▶ commit ──▶ writes ──▶ tell ──▶ tell ──▶ ...
 *                                      └─ an input of a listener: commit ──▶ writes; its tells are appended
 *
 * So code need not check whether a listener has just changed the state, and no listener sees a half-changed state.
 */
export class Outbox {
  /** Read while it grows, and forgotten when it is empty: most connections are idle. */
  #writes: Queue<() => void> | undefined;
  /** Made for the first listener. Keeps its memory, because a frame may be told to listeners. */
  #tells: Queue<() => void> | undefined;
  /** The number of nested inputs that have not ended. */
  #depth = 0;
  /** The time of the current input, set at its first read. The frames of one burst share it. */
  #now: number | undefined;
  #isWriting = false;
  #isTelling = false;

  /**
   * Starts an input. `leave` must follow, even after an error. Runs for each frame: allocates nothing. Its time may be that
   * of an input before, since the last microtask.
   */
  enter(): void {
    this.#depth++;
  }

  /** Ends the input. After the outermost input come the writes, then the tells. */
  leave(): void {
    if (--this.#depth > 0 || this.#isWriting) return;
    try {
      if (this.#writes) this.#write(this.#writes);
    } finally {
      if (this.#tells && this.#tells.size > 0 && !this.#isTelling) this.#tell(this.#tells);
    }
  }

  /** Runs an input. */
  run<T>(input: () => T): T {
    if (this.#depth === 0) this.#now = undefined;
    this.enter();
    try {
      return input();
    } finally {
      this.leave();
    }
  }

  /** Writes to a socket after the input. If the socket calls back at once, that is another input. */
  write(write: () => void): void {
    this.#writes ??= new Queue();
    this.#writes.add(write);
    this.#settle();
  }

  /** Calls the caller's code (a listener, a logger, a callback) after the input and its writes. */
  tell(tell: () => void): void {
    this.#tells ??= new Queue();
    this.#tells.add(tell);
    this.#settle();
  }

  /** The time of the current input. Constant during the input. */
  now(clock: Clock): number {
    if (this.#depth === 0) return clock.now();
    if (this.#now === undefined) {
      this.#now = clock.now();
      queueMicrotask(() => {
        this.#now = undefined;
      });
    }
    return this.#now;
  }

  /** A clock whose timers are inputs, and whose time is constant during an input. */
  clock(clock: Clock): Clock {
    return new InputClock(clock, this);
  }

  /** Outside an input, runs the new write or tell at once. */
  #settle(): void {
    if (this.#depth > 0) return;
    this.enter();
    this.leave();
  }

  #write(writes: Queue<() => void>): void {
    this.#isWriting = true;
    try {
      callAll(writes);
    } finally {
      this.#isWriting = false;
      this.#writes = undefined;
    }
  }

  #tell(tells: Queue<() => void>): void {
    this.#isTelling = true;
    try {
      callAll(tells);
    } finally {
      this.#isTelling = false;
    }
  }
}

/** Calls all functions, including added ones. Throws the first error after the last call. */
function callAll(calls: Queue<() => void>): void {
  let thrown: { readonly error: unknown } | undefined;
  for (let call = calls.take(); call; call = calls.take()) {
    try {
      call();
    } catch (error) {
      thrown ??= { error };
    }
  }
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
