// A first-in-first-out queue in constant time.

const SEGMENT = 256;

interface Segment<T> {
  readonly items: (T | undefined)[];
  next: Segment<T> | undefined;
}

/**
 * A first-in-first-out queue in linked segments. `add` and `take` take constant time, because no element moves
 * (`Array.shift()` moves all others). A queue that is often emptied reuses its segment.
 */
export class Queue<T> {
  #head: Segment<T> | undefined;
  #tail: Segment<T> | undefined;
  /** The index of the next read in the head, and of the next write in the tail. */
  #read = 0;
  #written = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    let tail = this.#tail;
    if (!tail || this.#written === SEGMENT) {
      const next: Segment<T> = { items: [], next: undefined };
      if (tail) tail.next = next;
      else this.#head = next;
      this.#tail = next;
      tail = next;
      this.#written = 0;
    }
    tail.items[this.#written++] = item;
    this.#size++;
  }

  /** The oldest item, without removing it. */
  get first(): T | undefined {
    return this.#size === 0 ? undefined : this.#head?.items[this.#read];
  }

  /** Removes and returns the oldest item. Undefined if empty. */
  take(): T | undefined {
    const head = this.#head;
    if (!head || this.#size === 0) return undefined;
    const item = head.items[this.#read];
    head.items[this.#read++] = undefined; // frees the item before its segment
    if (--this.#size === 0) {
      this.#read = 0;
      this.#written = 0;
    } else if (this.#read === SEGMENT && head.next) {
      this.#head = head.next;
      this.#read = 0;
    }
    return item;
  }

  clear(): void {
    this.#head = undefined;
    this.#tail = undefined;
    this.#read = 0;
    this.#written = 0;
    this.#size = 0;
  }
}
