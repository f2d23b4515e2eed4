// Records of what happened on a mock, and promises for what will happen.
import { InvalidMockInput } from "./names.ts";
import { Waiters } from "./waiters.ts";

export class Notes extends Waiters {
  #mistake: InvalidMockInput | undefined;
  /** How many entries of each list {@link next} has returned. */
  readonly #asked = new Map<readonly unknown[], number>();

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

  /** Resolves with the list's next entry. The n-th call for a list gets its n-th entry, past or future. */
  next<T>(list: readonly T[]): Promise<T> {
    const index = this.#asked.get(list) ?? 0;
    this.#asked.set(list, index + 1);
    return this.until(() => list[index]);
  }
}
