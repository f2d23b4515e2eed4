// Records of what happened on a mock, and promises for what will happen.
import { InvalidMockInput } from "./names.ts";
import { Waiters } from "./waiters.ts";

export class Notes extends Waiters {
  #mistake: InvalidMockInput | undefined;

  /** The first mistake of the test that could not be thrown at its call, such as a misspelt field in an answer. */
  get mistake(): InvalidMockInput | undefined {
    return this.#mistake;
  }

  /** Records what a script threw. If it is a mistake of the test, all waits and `stop()` fail. */
  threw(error: unknown): void {
    if (!(error instanceof InvalidMockInput)) return;
    this.#mistake ??= error;
    this.end(error);
  }

  /** Adds an entry to a list, and notifies the waits. */
  add<T>(list: T[], item: NoInfer<T>): void {
    list.push(item);
    this.changed();
  }
}
