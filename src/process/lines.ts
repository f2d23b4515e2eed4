// Splits a program's output into lines, and keeps the end of its error output.
import { joinBytes } from "../core/bytes.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = "\ufeff";

/** A line over the limit. `skipped` is its length in bytes. */
export interface LongLine {
  readonly skipped: number;
}

/** Splits bytes into lines, in linear time. Not text, because a character may span two chunks. */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The beginning of an incomplete line. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isFirst = true;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Returns the lines that end in this chunk. */
  push(piece: Uint8Array): readonly (string | LongLine)[] {
    const lines: (string | LongLine)[] = [];
    let start = 0;
    const cutTo = (end: number): void => {
      this.#keep(piece.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    };
    let end = piece.indexOf(NEWLINE);
    if (end !== -1 && (this.#isFirst || this.#bytes > 0)) cutTo(end);
    const last = end === -1 ? -1 : piece.lastIndexOf(NEWLINE);
    if (last >= start && last - start <= this.#maxLineBytes) {
      // No line can exceed the limit. Decoding all lines at once takes a third of the time.
      const text = this.#decoder.decode(piece.subarray(start, last));
      for (const line of text.split("\n")) lines.push(line.endsWith("\r") ? line.slice(0, -1) : line);
      start = last + 1;
    }
    for (end = piece.indexOf(NEWLINE, start); end !== -1; end = piece.indexOf(NEWLINE, start)) cutTo(end);
    this.#keep(piece.subarray(start));
    return lines;
  }

  /** Returns the last line, if it has no newline. */
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
    return isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }
}

/** Keeps the last bytes of a text stream. */
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
