// Reads the output of `rg --json` in bounded memory.
import { joinBytes } from "../../../core/bytes.ts";
import { isObject } from "../../../core/checks.ts";
import { addRange, type FileHits, type LineRange } from "./hits.ts";

/** Bytes of one event. A longer event has more text than a search may show. */
const MAX_EVENT = 2 * 1_024 * 1_024;
/** Bytes kept of a longer event: enough for an escaped path of 4,096 bytes. */
const HEAD = 32 * 1_024;
/** Bytes at the end of a longer event that are searched for the line number. */
const WINDOW = 128;
/** Assumed lines of a longer event's match: more than a report shows. */
const MANY_LINES = 20_000;

const LINE_FEED = 0x0a;
/** Follows a match's text. Inside a text, the quote would be escaped. */
const NUMBER = /\},"line_number":(\d+)[,}]/;
const PATH = /^\{"type":"match","data":\{"path":(\{"text":"(?:[^"\\]|\\.)*"\})/;

export interface EventOptions {
  readonly maxPerFile: number;
  readonly multiline: boolean;
  readonly onFile: (file: FileHits) => void;
}

export class EventReader {
  readonly #options: EventOptions;
  readonly #decoder = new TextDecoder();
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Set for a longer event: only its head and line number are kept. */
  #tail: { window: string; line: number | undefined } | undefined;
  #path: string | undefined;
  #ranges: LineRange[] = [];

  constructor(options: EventOptions) {
    this.#options = options;
  }

  feed(piece: Uint8Array): void {
    let from = 0;
    for (let to = piece.indexOf(LINE_FEED); to >= 0; to = piece.indexOf(LINE_FEED, from)) {
      this.#keep(piece.subarray(from, to));
      this.#endEvent();
      from = to + 1;
    }
    this.#keep(piece.subarray(from));
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#tail) this.#skim(bytes);
    else if (this.#size + bytes.length <= MAX_EVENT) {
      this.#size += bytes.length;
      this.#pieces.push(bytes);
    } else {
      const begun = joinBytes([...this.#pieces, bytes]);
      this.#pieces = [begun.slice(0, HEAD)];
      this.#tail = { window: "", line: undefined };
      this.#skim(begun);
    }
  }

  #skim(bytes: Uint8Array): void {
    const tail = this.#tail;
    if (!tail || tail.line !== undefined) return;
    const text =
      tail.window + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    const match = NUMBER.exec(text);
    if (match) tail.line = Number(match[1]);
    else tail.window = text.slice(-WINDOW);
  }

  #endEvent(): void {
    const text = this.#decoder.decode(joinBytes(this.#pieces));
    const tail = this.#tail;
    this.#pieces = [];
    this.#size = 0;
    this.#tail = undefined;
    if (tail) {
      const path = PATH.exec(text)?.[1];
      if (path !== undefined && tail.line !== undefined) this.#onLongMatch(JSON.parse(path), tail.line);
    } else this.#onEvent(parse(text));
  }

  #onEvent(event: unknown): void {
    if (!isObject(event)) return;
    const { type, data } = event;
    if (!isObject(data)) return;
    const path = textOf(data["path"]);
    if (path === undefined) return; // the door cannot open names that are not text
    if (type === "match") this.#onMatch(path, data["line_number"], data["lines"]);
    else if (type === "end") this.#endFile();
  }

  #onMatch(path: string, line: unknown, lines: unknown): void {
    if (typeof line !== "number") return;
    this.#add(path, { first: line, last: line + Math.max(0, countLines(lines) - 1) });
  }

  #onLongMatch(path: unknown, line: number): void {
    const text = textOf(path);
    if (text === undefined) return;
    this.#add(text, { first: line, last: this.#options.multiline ? line + MANY_LINES : line });
  }

  #add(path: string, range: LineRange): void {
    if (this.#path !== path) this.#endFile();
    this.#path = path;
    // Multi-line searches have no limit in ripgrep. Joining ranges at once bounds the memory.
    const { maxPerFile, multiline } = this.#options;
    if (multiline) addRange(this.#ranges, range, maxPerFile);
    else if (this.#ranges.length < maxPerFile) this.#ranges.push(range);
  }

  #endFile(): void {
    const [path, ranges] = [this.#path, this.#ranges];
    this.#path = undefined;
    this.#ranges = [];
    if (path !== undefined && ranges.length > 0) this.#options.onFile({ path, ranges });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not an event
  }
}

function textOf(value: unknown): string | undefined {
  return isObject(value) && typeof value["text"] === "string" ? value["text"] : undefined;
}

/** The lines of a match. A trailing line feed starts no new line. */
function countLines(lines: unknown): number {
  if (!isObject(lines)) return 1;
  const { text, bytes } = lines;
  const whole = typeof text === "string" ? text : typeof bytes === "string" ? atob(bytes) : "";
  const feeds = whole.split("\n").length - 1;
  return whole.endsWith("\n") ? feeds : feeds + 1;
}
