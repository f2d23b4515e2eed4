// An iteration that can be broken off while it waits, and the check of what is iterated.
import { describe } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";

/** @throws InvalidInputError unless `events` is an async iterable. `example`: one, for the hint */
export function checkIterable(events: AsyncIterable<unknown>, example: string): void {
  if (typeof (events as Partial<typeof events> | null | undefined)?.[Symbol.asyncIterator] === "function")
    return;
  throw new InvalidInputError(
    `the events are ${describe(events)}.`,
    `Pass an async iterable, such as ${example}.`,
  );
}

/**
 * Iterates over a generator. Leaving the loop calls `onReturn`, which must wake the generator: the generator's own
 * `return` would wait for its next event.
 */
export function breakable<T>(
  generator: AsyncGenerator<T, void, undefined>,
  onReturn: () => unknown,
): AsyncIterableIterator<T, void, undefined> {
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => generator.next(),
    async return() {
      await onReturn();
      await generator.return();
      return { done: true, value: undefined };
    },
  };
}
