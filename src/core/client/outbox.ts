import type { Clock } from "../clock.ts";
import { Queue } from "../queue.ts";

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
  readonly #writes = new Queue<() => void>();
  readonly #tells = new Queue<() => void>();
  /** Inputs that are being committed, one within the other. */
  #depth = 0;
  #isWriting = false;
  #isTelling = false;

  /** An input begins; `leave` has to follow, also when it throws. Allocates nothing: frames take this way. */
  enter(): void {
    this.#depth++;
  }

  /** The input is committed. The outermost one writes, and then tells. */
  leave(): void {
    if (--this.#depth > 0 || this.#isWriting) return;
    try {
      if (this.#writes.size > 0) this.#write();
    } finally {
      if (this.#tells.size > 0 && !this.#isTelling) this.#tell();
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
    this.#writes.add(write);
    this.#settle();
  }

  /** Calls the caller's code once the input is committed and written: a listener, a logger, an abort, a question. */
  tell(tell: () => void): void {
    this.#tells.add(tell);
    this.#settle();
  }

  /** A clock whose timers are inputs. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      wallTime: () => clock.wallTime(),
      random: () => clock.random(),
      setTimeout: (callback, delay, options) => clock.setTimeout(() => this.run(callback), delay, options),
    };
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
function callAll(waiting: Queue<() => void>): void {
  let thrown: { readonly error: unknown } | undefined;
  for (let call = waiting.take(); call; call = waiting.take()) {
    try {
      call();
    } catch (error) {
      thrown ??= { error };
    }
  }
  if (thrown) throw thrown.error;
}
