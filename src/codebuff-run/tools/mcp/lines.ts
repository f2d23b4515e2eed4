// Splits a byte stream into lines, in linear time.

const NEWLINE = 0x0a;

/** Splits a byte stream into lines. Linear: copies each byte once. */
export class Lines {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder();
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the completed lines; `undefined` if a line exceeds the limit. */
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
