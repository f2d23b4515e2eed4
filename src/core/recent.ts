// The last keys up to a limit, to tell late messages from unknown ones in bounded memory.
import { Table } from "./table.ts";

/** The last `limit` keys that were set, each with a value. */
export class Recent<Key, Value> extends Table<Key, Value> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override set(key: Key, value: Value): void {
    this.delete(key);
    super.set(key, value);
    if (this.size <= this.#limit) return;
    for (const oldest of this.keys()) {
      this.delete(oldest);
      return;
    }
  }
}
