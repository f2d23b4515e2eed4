import { createParser, type EventSourceParser } from "eventsource-parser";

/** Characters of one event of the stream, and of one line. Real chunks take some kilobytes; a line without an end must not fill the memory. */
export const MAX_EVENT = 8 * 1_048_576;

/** Reads server-sent events from bytes in pieces, cut anywhere, also inside of a character. Comments are skipped. */
export class SseReader {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder();
  #isTooLong = false;

  /** `onData` gets the data of each event. It must not throw. */
  constructor(onData: (data: string) => void) {
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: ({ data }) => {
        if (data !== "") onData(data); // by the standard, an event without data is none
      },
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#isTooLong = true;
      },
    });
  }

  /** Whether an event was over the limit. Later bytes are dropped. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  push(bytes: Uint8Array): void {
    this.#feed(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The stream is over: an event without its closing blank line counts too. */
  end(): void {
    this.#feed(`${this.#decoder.decode()}\n\n`);
  }

  #feed(text: string): void {
    if (!this.#isTooLong) this.#parser.feed(text);
  }
}
