// Keeps the start and end of a command's output, and cuts the middle.
import { EscapeFilter } from "./escapes.ts";

/** Characters per stream in a result, as in Codebuff. */
export const MAX_OUTPUT = 50_000;

const CUT = "\n[...TRUNCATED DUE TO LENGTH...]\n";

/** Keeps at most `max` characters: start and end. Moves each character a bounded number of times. */
export class HeadAndTail {
  readonly #max: number;
  /** Characters kept at each end after the cut. */
  readonly #side: number;
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
    // Cuts only at twice the size: otherwise each small piece would copy the tail.
    if (this.#tail.length > 2 * this.#side) this.#tail = this.#tail.slice(-this.#side);
  }

  /** Drops halves of surrogate pairs at the cut. */
  get text(): string {
    if (!this.#isCut) return this.#head;
    const head = this.#head.replace(/[\ud800-\udbff]$/, "");
    const tail = this.#tail.slice(-this.#side).replace(/^[\udc00-\udfff]/, "");
    return head + CUT + tail;
  }

  get kept(): number {
    return this.#head.length + this.#tail.length;
  }
}

/** One output stream of a command, converted from bytes to shortened text. */
export class CommandOutput {
  readonly #decoder = new TextDecoder();
  readonly #escapes = new EscapeFilter();
  readonly #kept = new HeadAndTail(MAX_OUTPUT);
  readonly #onText: (text: string) => void;

  /** @param onText called with each piece of text */
  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  readonly push = (piece: Uint8Array): void => {
    this.#add(this.#escapes.push(this.#decoder.decode(piece, { stream: true })));
  };

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
