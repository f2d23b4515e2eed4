/**
 * The `localStorage` of one tab, as browsers with a process for each tab have it: a tab hears later of what another tab has written, and a
 * write replaces an item whole. `disk` is what the next tab finds.
 */
export class TabStorage {
  isFull = false;
  readonly object: object;
  readonly #disk: Map<string, string>;
  readonly #seen = new Map<string, string>();

  constructor(disk: Map<string, string>) {
    this.#disk = disk;
    this.hear();
    this.object = new Proxy(
      { getItem: (name: string) => this.#seen.get(name) ?? null, setItem: this.#set },
      {
        ownKeys: (functions) => [...Reflect.ownKeys(functions), ...this.#seen.keys()],
        getOwnPropertyDescriptor: (functions, name) => ({
          configurable: true,
          enumerable: !Reflect.has(functions, name), // the functions of a real storage are inherited
          writable: true,
          value: Reflect.get(functions, name) ?? this.#seen.get(String(name)),
        }),
      },
    );
  }

  /** The tab hears of everything that other tabs have written. */
  hear(): void {
    for (const [name, value] of this.#disk) this.#seen.set(name, value);
  }

  readonly #set = (name: string, value: string): void => {
    if (this.isFull) throw new DOMException("the storage is full", "QuotaExceededError");
    this.#seen.set(name, value);
    this.#disk.set(name, value);
  };
}
