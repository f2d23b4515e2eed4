import type { CancelTimer, Clock } from "../../core/clock.ts";

/** The steps of a script. A generator is told the value of each step that it has yielded. */
export type StepSource<Step, Value> =
  | Iterable<Step>
  | AsyncIterable<Step>
  | Generator<Step, unknown, Value>
  | AsyncGenerator<Step, unknown, Value>;

/** What `take` gives for a step behind which nothing is taken any more. */
export const ENOUGH = Symbol("enough");

export const STOPPED = Symbol("stopped");

/** Takes the steps of one script until it ends or is stopped, and waits where a step says so. */
export class ScriptRunner<Step, Value> {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #interrupt: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborted when the script was stopped. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get stopped(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Ends the script at its next step, or at once where it waits. */
  stop(): void {
    this.#controller.abort();
    this.#interrupt?.();
  }

  /**
   * Takes one step after the other; a promise that `take` returns is awaited, and is the value of its step.
   * @returns `ended` after the last step, `returned` where it was stopped or had {@link ENOUGH}
   * @throws what the script throws
   */
  async follow(
    script: StepSource<Step, Value | undefined>,
    take: (step: Step) => Promise<Value> | typeof ENOUGH | undefined,
  ): Promise<"ended" | "returned"> {
    const steps = iterate(script);
    let value: Value | undefined;
    for (;;) {
      const next = await this.unlessStopped(steps.next(value));
      if (next === STOPPED) break;
      if (next.done) return "ended";
      if (this.stopped) break;
      const taken = take(next.value);
      if (taken === ENOUGH) break;
      // Most steps are done at once; awaiting them would only let other things come in between.
      value = taken ? await taken : undefined;
      if (this.stopped) break;
    }
    // Not awaited: an async generator returns only when what it waits for has come, which may be never.
    Promise.resolve(steps.return?.()).catch(() => {});
    return "returned";
  }

  /** Waits for a promise, or for `stop()`. One slot instead of `Promise.race`, which would hold every loser. */
  unlessStopped<T>(value: T | Promise<T>): Promise<T | typeof STOPPED> {
    if (this.stopped) return Promise.resolve(STOPPED);
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve(STOPPED);
      Promise.resolve(value).then(resolve, reject);
    });
  }

  /** Waits so many ms of the clock, or for `stop()`. */
  async delay(ms: number): Promise<void> {
    let cancel: CancelTimer | undefined;
    await this.unlessStopped(
      new Promise<void>((resolve) => {
        cancel = this.#clock.setTimeout(resolve, ms, { unref: true });
      }),
    );
    cancel?.();
  }

  /** Waits for `stop()`. */
  async hang(): Promise<void> {
    await this.unlessStopped(new Promise(() => {}));
  }
}

function iterate<Step, Value>(
  script: StepSource<Step, Value>,
): Iterator<Step, unknown, Value> | AsyncIterator<Step, unknown, Value> {
  return Symbol.asyncIterator in script ? script[Symbol.asyncIterator]() : script[Symbol.iterator]();
}
