/** The last `limit` values added: enough to tell a late message from an unknown one, in bounded memory. */
export class Recent<T> {
  readonly #limit: number;
  readonly #values = new Set<T>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(value: T): void {
    this.#values.delete(value);
    this.#values.add(value);
    if (this.#values.size <= this.#limit) return;
    for (const oldest of this.#values) {
      this.#values.delete(oldest);
      return;
    }
  }

  has(value: T): boolean {
    return this.#values.has(value);
  }
}
