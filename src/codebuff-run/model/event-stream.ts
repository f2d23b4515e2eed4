// Reads server-sent events from an HTTP response.
import { createParser, type EventSourceParser } from "eventsource-parser";
import { unreachable } from "../../core/http/answer.ts";
import { CodebuffRunError } from "../errors.ts";
import type { OpenedResponse } from "../http.ts";
import type { Watch } from "./watch.ts";

/** Characters of one event or line. Real chunks take some kilobytes. Bounds the memory. */
const MAX_EVENT = 8 * 1_048_576;

/** Marks the end of a stream in OpenAI's API. */
export const DONE = "[DONE]";

/** Yields the events' data. @throws CodebuffRunError `network`; after the first byte `stream_interrupted` */
export async function* eventsOf(
  { response, reading }: OpenedResponse,
  watch: Watch,
  began: () => void,
): AsyncGenerator<readonly string[], void> {
  let hasBegun = false;
  const lost = (cause: unknown): never => {
    throw brokenOff(hasBegun ? "stream_interrupted" : "network", cause, reading.redact);
  };
  const reader = response.body?.getReader();
  let found: string[] = [];
  const sse = new SseByteReader((data) => found.push(data));
  const take = (): readonly string[] => {
    const taken = found;
    found = [];
    return taken;
  };
  const cancel = (): void => void reader?.cancel?.().catch(() => {}); // the connection may have ended already
  try {
    if (reader) {
      for (;;) {
        const { done, value } = await watch.wait(reader.read().catch(lost));
        if (done) break;
        watch.touch();
        hasBegun = true;
        began();
        if (value) sse.push(value);
        if (sse.isTooLong) throw tooLong();
        if (sse.isDone) cancel(); // at once: the turn's reader may be slow
        if (found.length > 0) yield take();
        if (sse.isDone) return;
      }
    } else {
      hasBegun = true; // `arrayBuffer` does not show the first byte
      began();
      sse.push(new Uint8Array(await watch.wait(response.arrayBuffer().catch(lost))));
    }
    sse.end();
    if (sse.isTooLong) throw tooLong();
    if (found.length > 0) yield take();
  } finally {
    cancel();
  }
}

function tooLong(): CodebuffRunError {
  const message = `an event of the stream is longer than ${MAX_EVENT} characters`;
  return new CodebuffRunError({ kind: "protocol_error", message });
}

export function brokenOff(
  kind: "network" | "stream_interrupted",
  thrown: unknown,
  redact: (text: string) => string,
): CodebuffRunError {
  const message = "the model's answer broke off";
  return new CodebuffRunError({ kind, message, cause: unreachable(message, thrown, redact).cause });
}

/** Parses an event's data; `undefined` if it is not JSON. The parser's error would quote the data. */
export function parsedData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Reads server-sent events from bytes in arbitrary pieces. Ignores comments, and data after `[DONE]`. */
export class SseByteReader {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder();
  #lineLength = 0;
  isDone = false;
  #isTooLong = false;

  /** @param onData gets the data of each event; must not throw */
  constructor(onData: (data: string) => void) {
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: ({ data }) => {
        if (data === "" || this.isDone) return; // the standard ignores events without data
        this.isDone = data === DONE;
        onData(data);
      },
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#isTooLong = true;
      },
    });
  }

  /** Whether an event or line exceeded the limit before `[DONE]`. Later bytes are dropped. */
  get isTooLong(): boolean {
    return this.#isTooLong && !this.isDone;
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
