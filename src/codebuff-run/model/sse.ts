// Reads server-sent events from bytes in arbitrary pieces.
import { createParser, type EventSourceParser } from "eventsource-parser";

/** Characters of one event or line. Real chunks take some kilobytes. Bounds the memory. */
export const MAX_EVENT = 8 * 1_048_576;

/** Marks the end of a stream in OpenAI's API. */
export const DONE = "[DONE]";

/** Reads server-sent events from bytes in arbitrary pieces. Ignores comments, and data after `[DONE]`. */
export class SseByteReader {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder();
  #lineLength = 0;
  #isTooLong = false;
  #isDone = false;

  /** @param onData gets the data of each event; must not throw */
  constructor(onData: (data: string) => void) {
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: ({ data }) => {
        if (data === "" || this.#isDone) return; // the standard ignores events without data
        this.#isDone = data === DONE;
        onData(data);
      },
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#isTooLong = true;
      },
    });
  }

  /** Whether an event or line exceeded the limit before `[DONE]`. Later bytes are dropped. */
  get isTooLong(): boolean {
    return this.#isTooLong && !this.#isDone;
  }

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

  /** Cuts a text before its first line over the limit. The parser's own limit covers only data lines. */
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
