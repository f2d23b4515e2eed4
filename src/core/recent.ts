import { Table } from "./table.ts";

/** The last `limit` keys that were set, each with a value: tells late messages from unknown ones, in bounded memory. */
export class Recent<Key, Value> {
  readonly #limit: number;
  readonly #values = new Table<Key, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  set(key: Key, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#limit) return;
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest);
      return;
    }
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  /** Oldest first. */
  keys(): Iterable<Key> {
    return this.#values.keys();
  }
}
