// Lists of what happened on a mock, and promises of what will happen.
import { InvalidMockInput } from "./names.ts";
import { Waiters } from "./waiters.ts";

/** Lists of what happened on a mock, those who wait for an entry, and the first mistake of the test itself. */
export class Notes extends Waiters {
  #mistake: InvalidMockInput | undefined;

  /** The first wrong word of a test that could not be thrown where it was said, such as a misspelt field of an answer. */
  get mistake(): InvalidMockInput | undefined {
    return this.#mistake;
  }

  /** Takes note of what a script has thrown: a mistake of the test fails all waits, and `stop()`. */
  threw(error: unknown): void {
    if (!(error instanceof InvalidMockInput)) return;
    this.#mistake ??= error;
    this.end(error);
  }

  /** Something happened that belongs on one of the lists. */
  add<T>(list: T[], item: NoInfer<T>): void {
    list.push(item);
    this.changed();
  }
}
