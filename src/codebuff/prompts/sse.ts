// Reads server-sent events from text that is cut anywhere.
import { createParser, type EventSourceParser } from "eventsource-parser";

/**
 * The largest server-sent event, and the longest line, in characters. Chunks are small, and a line without an end must not fill the
 * memory.
 */
const MAX_EVENT = 16 * 1_048_576;

/** A line with only the name of a field, without a colon. The format allows such a line, but no server sends one: it is probably text. */
const BARE_FIELD = /(?<=^|[\r\n])(data|event|id|retry)(?:\r\n?|\n)/g;

/**
 * Reads server-sent events from text in pieces, cut anywhere. Linear in the text.
 *
 * The parser gets whole lines only. It reports a whole line that is no field, but silently drops the start of a line.
 */
export class SseTextReader {
  readonly #parser: EventSourceParser;
  readonly #onStray: (text: string) => void;
  /** The last line, which is incomplete. */
  #line = "";
  #isTooLong = false;

  /** `onData` gets the data of each event; `onStray` gets each line that is no part of an event stream. */
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

  /** Searches only the new piece for line ends: many tiny pieces cost no more than one text. */
  feed(piece: string): void {
    const end = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf("\r")) + 1;
    if (end > 0) {
      this.#read(this.#line + piece.slice(0, end));
      this.#line = "";
    }
    this.#line += piece.slice(end);
    if (this.#line.length > MAX_EVENT) this.#giveUp();
  }

  /** Ends the stream. An event without its closing blank line counts. */
  end(): void {
    this.#read(`${this.#line}\n\n`);
    this.#line = "";
  }

  /** Passes lines to the parser, except bare fields: the parser would silently read a field without a colon as empty. */
  #read(lines: string): void {
    let from = 0;
    for (const { 0: line, 1: field = "", index } of lines.matchAll(BARE_FIELD)) {
      this.#parse(lines.slice(from, index + line.length));
      this.#onStray(field);
      from = index + line.length;
    }
    this.#parse(lines.slice(from));
  }

  /** Passes lines to the parser. After an event that is too long, the parser drops all input until it is reset. */
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
