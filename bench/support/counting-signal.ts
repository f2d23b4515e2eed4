/** A signal that never aborts, and knows how many listen to it. */
export class CountingSignal {
  readonly signal: AbortSignal;
  readonly #listening = new Set<unknown>();

  constructor() {
    this.signal = new AbortController().signal;
    const add = this.signal.addEventListener.bind(this.signal);
    const remove = this.signal.removeEventListener.bind(this.signal);
    this.signal.addEventListener = (...args: Parameters<typeof add>) => {
      this.#listening.add(args[1]);
      add(...args);
    };
    this.signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      this.#listening.delete(args[1]);
      remove(...args);
    };
  }

  get listeners(): number {
    return this.#listening.size;
  }
}
