// The output of a command with its start and end kept, and the middle cut out.
import { EscapeFilter } from "./escapes.ts";

/** Characters of one stream in a result. What a model can read of it, and what the original agents expect. */
export const MAX_OUTPUT = 50_000;

const CUT = "\n[...TRUNCATED DUE TO LENGTH...]\n";

/** A text that keeps its start and its end, in at most `max` characters. Each character is moved a bounded number of times. */
export class HeadAndTail {
  readonly #max: number;
  /** Characters that are kept of each end, once the text is cut. */
  readonly #side: number;
  /** The whole text; once that is too long, its start. */
  #head = "";
  #tail = "";
  #isCut = false;

  constructor(max: number) {
    this.#max = max;
    this.#side = Math.floor((max - CUT.length) / 2);
  }

  push(piece: string): void {
    if (!this.#isCut) {
      this.#head += piece;
      if (this.#head.length <= this.#max) return;
      this.#isCut = true;
      this.#tail = this.#head.slice(-this.#side);
      this.#head = this.#head.slice(0, this.#side);
      return;
    }
    this.#tail += piece;
    // Twice the size: a cut for each small piece would copy the tail each time.
    if (this.#tail.length > 2 * this.#side) this.#tail = this.#tail.slice(-this.#side);
  }

  /** Without halves of a surrogate pair at the cut. */
  get text(): string {
    if (!this.#isCut) return this.#head;
    const head = this.#head.replace(/[\ud800-\udbff]$/, "");
    const tail = this.#tail.slice(-this.#side).replace(/^[\udc00-\udfff]/, "");
    return head + CUT + tail;
  }

  /** Characters in memory. */
  get kept(): number {
    return this.#head.length + this.#tail.length;
  }
}

/** One stream of a command: bytes in, readable text out, the start and the end kept. */
export class CommandOutput {
  readonly #decoder = new TextDecoder();
  readonly #escapes = new EscapeFilter();
  readonly #kept = new HeadAndTail(MAX_OUTPUT);
  readonly #onText: (text: string) => void;

  /** `onText` is called with each piece of the text. */
  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  readonly push = (piece: Uint8Array): void => {
    this.#add(this.#escapes.push(this.#decoder.decode(piece, { stream: true })));
  };

  /** No more bytes. */
  end(): void {
    this.#add(this.#escapes.push(this.#decoder.decode()) + this.#escapes.end());
  }

  get text(): string {
    return this.#kept.text;
  }

  #add(text: string): void {
    if (text === "") return;
    this.#kept.push(text);
    this.#onText(text);
  }
}
