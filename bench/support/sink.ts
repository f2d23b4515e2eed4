import { TEXTS } from "../server/frames.ts";

/** Where every reader puts the text of its chunks. Counting proves that nobody is fast by dropping some. */
export class Sink {
  readonly done: Promise<void>;
  readonly #chunks: number;
  /** The texts that come, again and again. */
  readonly #texts: readonly string[];
  readonly #seen: Map<string, number> | undefined;
  #left: number;
  #length = 0;
  #finish: () => void = () => {};

  /** With `compares` the texts themselves are counted too: for a round that is not measured. */
  constructor(
    chunks: number,
    texts: readonly string[] = TEXTS,
    options: { readonly compares?: boolean } = {},
  ) {
    this.#chunks = chunks;
    this.#texts = texts;
    this.#seen = options.compares ? new Map() : undefined;
    this.#left = chunks;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  take(text: string): void {
    this.#length += text.length;
    if (this.#seen) this.#seen.set(text, (this.#seen.get(text) ?? 0) + 1);
    if (--this.#left === 0) this.#finish();
  }

  /** @throws Error unless every chunk came, whole. */
  check(reader: string): void {
    const rounds = Math.floor(this.#chunks / this.#texts.length);
    const rest = this.#chunks % this.#texts.length;
    let length = 0;
    const expected = new Map<string, number>();
    for (const [at, text] of this.#texts.entries()) {
      const times = rounds + (at < rest ? 1 : 0);
      length += times * text.length;
      if (this.#seen) expected.set(text, (expected.get(text) ?? 0) + times);
    }
    if (this.#left !== 0 || this.#length !== length)
      throw new Error(`${reader}: ${this.#left} of ${this.#chunks} chunks, or parts of some, did not come`);
    for (const [text, count] of expected) {
      const seen = this.#seen?.get(text) ?? 0;
      if (seen !== count)
        throw new Error(`${reader}: ${seen} of ${count} times came ${JSON.stringify(text)}`);
    }
  }
}
