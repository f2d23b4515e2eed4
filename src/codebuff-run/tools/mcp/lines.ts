// Cuts a stream of bytes into lines, in linear time.

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines. Each byte is copied once, so the work is linear. */
export class Lines {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder();
  /** The pieces of a line that has not ended. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that a piece has ended; `undefined` if a line is longer than the limit. */
  push(piece: Uint8Array): readonly string[] | undefined {
    const lines: string[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      if (!this.#keep(piece.subarray(start, end))) return undefined;
      lines.push(this.#decoder.decode(Buffer.concat(this.#pieces)));
      this.#pieces = [];
      this.#bytes = 0;
      start = end + 1;
    }
    return this.#keep(piece.subarray(start)) ? lines : undefined;
  }

  #keep(piece: Uint8Array): boolean {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) {
      this.#pieces = [];
      return false;
    }
    if (piece.length > 0) this.#pieces.push(piece);
    return true;
  }
}

/** The end of a stream of text. */
export class Tail {
  readonly #maxBytes: number;
  #bytes: Uint8Array = new Uint8Array();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(piece: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, piece.subarray(-this.#maxBytes)]).subarray(-this.#maxBytes);
  }

  get text(): string {
    return new TextDecoder().decode(this.#bytes).trim();
  }
}
