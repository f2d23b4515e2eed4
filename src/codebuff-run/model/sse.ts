// Reads server-sent events from bytes that are cut anywhere.
import { createParser, type EventSourceParser } from "eventsource-parser";

/** Characters of one event of the stream, and of one line. Real chunks take some kilobytes; a line without an end must not fill the memory. */
export const MAX_EVENT = 8 * 1_048_576;

/** The end of a stream, by the convention of OpenAI's API. */
export const DONE = "[DONE]";

/**
 * Reads server-sent events from bytes in pieces, cut anywhere, also inside of a character. Comments are skipped, and all that follows the
 * first `[DONE]`.
 */
export class SseReader {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder();
  /** Characters of the last line so far. */
  #lineLength = 0;
  #isTooLong = false;
  #isDone = false;

  /** `onData` gets the data of each event. It must not throw. */
  constructor(onData: (data: string) => void) {
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: ({ data }) => {
        if (data === "" || this.#isDone) return; // by the standard, an event without data is none
        this.#isDone = data === DONE;
        onData(data);
      },
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#isTooLong = true;
      },
    });
  }

  /** Whether an event or a line was over the limit before the end. Later bytes are dropped. */
  get isTooLong(): boolean {
    return this.#isTooLong && !this.#isDone;
  }

  /** Whether `[DONE]` has come. */
  get isDone(): boolean {
    return this.#isDone;
  }

  push(bytes: Uint8Array): void {
    this.#feed(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The stream is over: an event without its closing blank line counts too. */
  end(): void {
    this.#feed(`${this.#decoder.decode()}\n\n`);
  }

  #feed(text: string): void {
    if (this.#isTooLong) return;
    const whole = this.#withinLimit(text);
    this.#parser.feed(whole);
    if (whole !== text) this.#isTooLong = true;
  }

  /**
   * A text up to its first line that is too long, of whatever kind: the parser's limit holds for data alone. A short text needs no look at each
   * of its lines.
   */
  #withinLimit(text: string): string {
    if (this.#lineLength + text.length > MAX_EVENT) {
      let start = 0;
      for (const line of text.split(/[\r\n]/)) {
        if (line.length + (start === 0 ? this.#lineLength : 0) > MAX_EVENT) return text.slice(0, start);
        start += line.length + 1;
      }
    }
    const lastBreak = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
    this.#lineLength = lastBreak === -1 ? this.#lineLength + text.length : text.length - lastBreak - 1;
    return text;
  }
}
