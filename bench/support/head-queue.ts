/**
 * The least that turns pushes into pulls in linear time: an array and an index of its head. Without a limit, an
 * end or an error, and what was read is kept until all is read; it is what anything more is measured against.
 */
export class HeadQueue<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #head = 0;
  #wake: ((result: IteratorResult<T, undefined>) => void) | undefined;
  #ended = false;

  push(value: T): void {
    const wake = this.#wake;
    if (!wake) {
      this.#items.push(value);
      return;
    }
    this.#wake = undefined;
    wake({ done: false, value });
  }

  end(): void {
    this.#ended = true;
    this.#wake?.({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return { next: () => this.#next() };
  }

  #next(): Promise<IteratorResult<T, undefined>> {
    const value = this.#items[this.#head];
    if (value !== undefined) {
      this.#head++;
      if (this.#head === this.#items.length) {
        this.#items = [];
        this.#head = 0;
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
