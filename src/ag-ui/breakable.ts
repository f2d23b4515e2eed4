// An iteration that can be broken off while it waits.

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
