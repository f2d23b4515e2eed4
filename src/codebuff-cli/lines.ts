import { joinBytes } from "../core/bytes.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = "\ufeff";

/** The first byte of what only a terminal understands. */
export const ESCAPE = 0x1b;

/** A line that was longer than the limit; of it nothing is kept but its length, in bytes. */
export interface LongLine {
  readonly skipped: number;
}

/**
 * Cuts a stream of bytes into lines. The bytes are cut, not the text, so that a character may lie across two pieces.
 * Linear: a byte is looked at once and copied once, however the pieces lie.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** What has come of a line that is not whole yet. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isFirst = true;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that end in this piece. */
  *push(piece: Uint8Array): Iterable<string | LongLine> {
    let end = piece.indexOf(NEWLINE);
    if (end === -1) {
      this.#keep(piece);
      return;
    }
    this.#keep(piece.subarray(0, end));
    yield this.#take();
    let start = end + 1;
    const last = piece.lastIndexOf(NEWLINE);
    if (last >= start && last - start <= this.#maxLineBytes) {
      // None of them can be too long. To decode them one by one takes three times as long.
      const text = this.#decoder.decode(piece.subarray(start, last));
      for (const line of text.split("\n")) yield line.endsWith("\r") ? line.slice(0, -1) : line;
      start = last + 1;
    }
    for (end = piece.indexOf(NEWLINE, start); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      this.#keep(piece.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    this.#keep(piece.subarray(start));
  }

  /** What is left when the stream has ended: a last line without a newline. */
  end(): string | LongLine | undefined {
    return this.#bytes === 0 ? undefined : this.#take();
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxLineBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #take(): string | LongLine {
    const bytes = this.#bytes;
    const pieces = this.#pieces;
    const isFirst = this.#isFirst;
    this.#pieces = [];
    this.#bytes = 0;
    this.#isFirst = false;
    if (bytes > this.#maxLineBytes) return { skipped: bytes };
    const line = joinBytes(pieces);
    const text = this.#decoder.decode(line.at(-1) === RETURN ? line.subarray(0, -1) : line);
    return isFirst ? withoutMark(text) : text;
  }
}

/** Text without the mark that some programs begin theirs with. */
function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
