import { createParser, type EventSourceParser } from "eventsource-parser";

/**
 * The longest server-sent event that is collected, in characters, and the longest line: chunks are small, and a line
 * that never ends must not fill the memory.
 */
const MAX_EVENT = 16 * 1_048_576;

/** A line that is the name of a field, without a colon. The format allows it and no server sends it: it is rather text. */
const BARE_FIELD = /(?<=^|[\r\n])(data|event|id|retry)(?:\r\n?|\n)/g;

/**
 * Reads server-sent events out of text that arrives in pieces, cut anywhere. Linear in the text.
 *
 * The parser gets whole lines only. It reports a whole line that is no field; the beginning of one it drops in silence.
 */
export class SseReader {
  readonly #parser: EventSourceParser;
  readonly #onStray: (text: string) => void;
  /** The line that has not ended yet. */
  #line = "";
  #isTooLong = false;

  /** `onData` gets the data of each event; `onStray` each line that no event stream has. */
  constructor(onData: (data: string) => void, onStray: (text: string) => void) {
    this.#onStray = onStray;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: ({ data }) => onData(data),
      onError: ({ type, line }) => {
        if (type === "unknown-field") onStray(line ?? "");
        else if (type === "max-buffer-size-exceeded") this.#isTooLong = true;
      },
    });
  }

  /** Only the new piece is searched for line ends, so that a drip of characters costs no more than one text. */
  feed(piece: string): void {
    const end = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf("\r")) + 1;
    if (end > 0) {
      this.#read(this.#line + piece.slice(0, end));
      this.#line = "";
    }
    this.#line += piece.slice(end);
    if (this.#line.length > MAX_EVENT) this.#giveUp();
  }

  /** The stream is over: what came without a closing blank line counts too. */
  end(): void {
    this.#read(`${this.#line}\n\n`);
    this.#line = "";
  }

  /** The parser takes a field without a colon for an empty one, in silence. */
  #read(lines: string): void {
    let from = 0;
    for (const { 0: line, 1: field = "", index } of lines.matchAll(BARE_FIELD)) {
      this.#parse(lines.slice(from, index + line.length));
      this.#onStray(field);
      from = index + line.length;
    }
    this.#parse(lines.slice(from));
  }

  /** Once an event is too long, the parser drops the rest of `lines`, and takes nothing more until it is reset. */
  #parse(lines: string): void {
    this.#parser.feed(lines);
    if (this.#isTooLong) this.#giveUp();
  }

  #giveUp(): void {
    this.#line = "";
    this.#isTooLong = false;
    this.#parser.reset();
    this.#onStray(`(an event of more than ${MAX_EVENT} characters, given up)`);
  }
}
