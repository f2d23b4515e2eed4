import type {
  MockConnection,
  ReceivedAnswer,
  ReceivedCancel,
  ReceivedPrompt,
  RecordedFrame,
  Violation,
} from "./record.ts";

/** One `until()` that waits. */
interface Waiter {
  check(): void;
  fail(error: Error): void;
}

/** Everything that happened on a server, and whoever waits for something to happen. */
export class Journal {
  readonly connections: MockConnection[] = [];
  readonly frames: RecordedFrame[] = [];
  readonly prompts: ReceivedPrompt[] = [];
  readonly answers: ReceivedAnswer[] = [];
  readonly cancels: ReceivedCancel[] = [];
  readonly violations: Violation[] = [];
  readonly #waiters = new Set<Waiter>();
  #ended: Error | undefined;

  addConnection(connection: MockConnection): void {
    this.connections.push(connection);
    this.changed();
  }

  addFrame(frame: RecordedFrame): void {
    this.frames.push(frame);
    this.changed();
  }

  addPrompt(prompt: ReceivedPrompt): void {
    this.prompts.push(prompt);
    this.changed();
  }

  addAnswer(answer: ReceivedAnswer): void {
    this.answers.push(answer);
    this.changed();
  }

  addCancel(cancel: ReceivedCancel): void {
    this.cancels.push(cancel);
    this.changed();
  }

  addViolation(violation: Violation): void {
    this.violations.push(violation);
    this.changed();
  }

  /** Something that a waiter may look at is different now. */
  changed(): void {
    if (this.#waiters.size === 0) return;
    // A copy: a waiter that is served leaves, and what it starts may add another.
    for (const waiter of [...this.#waiters]) waiter.check();
  }

  /** Resolves with the first value of `probe` that is not undefined, null or false; rejects when it throws. */
  until<T>(probe: () => T | undefined | false | null): Promise<T> {
    const promise = new Promise<T>((resolve, reject) => {
      const waiter: Waiter = {
        check: () => {
          try {
            const value = probe();
            if (value === undefined || value === null || value === false) return;
            resolve(value);
          } catch (error) {
            reject(error);
          }
          this.#waiters.delete(waiter);
        },
        fail: reject,
      };
      this.#waiters.add(waiter);
      waiter.check();
      if (this.#ended && this.#waiters.delete(waiter)) reject(this.#ended);
    });
    // A test that has already failed leaves its waits behind; they must not become a second failure.
    promise.catch(() => {});
    return promise;
  }

  /** Fails all who still wait: nothing will happen any more. */
  end(error: Error): void {
    this.#ended = error;
    for (const waiter of this.#waiters) waiter.fail(error);
    this.#waiters.clear();
  }
}
