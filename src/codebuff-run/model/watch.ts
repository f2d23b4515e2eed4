// Aborts an answer that is silent for too long, or whose run stops.
import { type Clock, Deadline } from "../../core/clock.ts";
import { CodebuffRunError } from "../errors.ts";

/** Watches one answer. Also works with a `fetch` that ignores its signal. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #deadline: Deadline;
  readonly #outer: AbortSignal;
  #reject: ((reason: unknown) => void) | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  /**
   * @param silence ms without a `touch()`; 0: no limit
   * @param missing the missing data and the option that limits the wait, for the error
   */
  constructor(
    clock: Clock,
    silence: number,
    outer: AbortSignal,
    missing: readonly [what: string, option: string] = ["byte", "streamTimeout"],
  ) {
    this.#outer = outer;
    this.#deadline = new Deadline(clock, silence, () => {
      const [what, option] = missing;
      const message = `the model's answer stopped: no ${what} within ${silence} ms (\`${option}\`)`;
      this.#stop(new CodebuffRunError({ kind: "timeout", message }));
    });
    if (outer.aborted) this.#onAbort();
    else {
      outer.addEventListener("abort", this.#onAbort, { once: true });
      this.#deadline.start();
    }
  }

  /** For `fetch`. Aborted when the watch ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for a step of the answer. Rejects when the watch stops. */
  wait<T>(step: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#stopped) reject(this.#stopped.reason);
      this.#reject = reject;
      step.then(resolve, reject);
    });
  }

  /** Restarts the limit: data has arrived. */
  touch(): void {
    this.#deadline.touch();
  }

  /** Pauses the limit until `goOn`. */
  hold(): void {
    this.#deadline.stop();
  }

  goOn(): void {
    if (!this.#stopped) this.#deadline.start();
  }

  end(): void {
    this.#deadline.stop();
    this.#outer.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
    this.#stopped ??= this.#controller.signal;
  }

  readonly #onAbort = (): void => this.#stop(this.#outer.reason);

  #stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#deadline.stop();
    this.#controller.abort(reason);
    this.#reject?.(reason);
  }
}
