import { TEXTS } from "../server/frames.ts";

const CHUNK = TEXTS[0]?.length ?? 0;

/** Where every reader puts the text of its chunks. Counting proves that nobody is fast by dropping some. */
export class Sink {
  readonly done: Promise<void>;
  readonly #chunks: number;
  #left: number;
  #length = 0;
  #finish: () => void = () => {};

  constructor(chunks: number) {
    this.#chunks = chunks;
    this.#left = chunks;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  take(text: string): void {
    this.#length += text.length;
    if (--this.#left === 0) this.#finish();
  }

  /** @throws Error unless every chunk came, whole. */
  check(reader: string): void {
    if (this.#left === 0 && this.#length === this.#chunks * CHUNK) return;
    throw new Error(`${reader}: ${this.#left} of ${this.#chunks} chunks, or parts of some, did not come`);
  }
}
