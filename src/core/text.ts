// Tolerant JSON parsing in linear time and without recursion, UTF-8 lengths, and growing texts.

/**
 * Parses one text frame: JSON, and the bare values `Infinity`, `-Infinity` and `NaN` of Python's encoder. They become
 * +Infinity, -Infinity and null, or all null with `infinity: "null"`. Linear in time, constant in stack.
 *
 * @throws SyntaxError for an unreadable text, or the platform's own error for extreme nesting.
 */
export function parseFrame(text: string, infinity: "kept" | "null" = "kept"): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const repaired = replaceBareNumbers(text, infinity);
    if (repaired === undefined) throw error;
    return JSON.parse(repaired);
  }
}

/**
 * The deepest nesting that is accepted from outside. Recursion overflows the stack at 1,500 levels in
 * `structuredClone`, and at 4,000 in `JSON.stringify`. Real session states have some tens of levels.
 */
export const MAX_NESTING = 500;

export const TOO_DEEP = `it is nested deeper than ${MAX_NESTING} levels`;

/** Whether a JSON text is nested deeper than {@link MAX_NESTING}. Linear. Short texts need no scan. */
export function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_NESTING) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        if (++depth > MAX_NESTING) return true;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        depth--;
        break;
    }
  }
  return false;
}

/** Replaces each object and array inside the outermost value with `null`, to parse only its own members. */
export function flattened(text: string): string {
  let flat = "";
  let copied = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        if (++depth === 2) flat += `${text.slice(copied, at)}null`;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        if (depth-- === 2) copied = at + 1;
        break;
    }
  }
  return flat + text.slice(copied);
}

/** {@link parseFrame} for a line or a body. @throws SyntaxError also for too deep nesting */
export function parseJson(text: string, infinity: "kept" | "null" = "kept"): unknown {
  if (isTooDeep(text)) throw new SyntaxError(TOO_DEEP);
  return parseFrame(text, infinity);
}

/** {@link parseJson}, or undefined for what is no JSON: the parser's own error would quote the text. */
export function jsonIn(text: string, infinity: "kept" | "null" = "kept"): unknown {
  try {
    return parseJson(text, infinity);
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/**
 * Replaces each bare number outside strings with JSON of the same value (`1e999` is Infinity), in one pass. Only where
 * a whole value can stand: the parser still refuses `1Infinity`. Undefined if there is nothing to replace.
 */
function replaceBareNumbers(text: string, infinity: "kept" | "null"): string | undefined {
  let repaired = "";
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    const token = bareNumberAt(text, at, code);
    if (!token) continue;
    repaired += text.slice(copied, at) + (infinity === "kept" ? token.json : "null");
    at += token.length - 1;
    copied = at + 1;
  }
  return copied === 0 ? undefined : repaired + text.slice(copied);
}

/** The index of the closing quote of the string that opens at `open`, or the end of the text. */
export function endOfString(text: string, open: number): number {
  let at = open + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) break;
  }
  return at;
}

const BARE_NUMBERS = [
  { word: "Infinity", length: 8, json: "1e999" },
  { word: "-Infinity", length: 9, json: "-1e999" },
  { word: "NaN", length: 3, json: "null" },
] as const;

function bareNumberAt(text: string, at: number, code: number): (typeof BARE_NUMBERS)[number] | undefined {
  for (const token of BARE_NUMBERS) {
    if (code !== token.word.charCodeAt(0) || !text.startsWith(token.word, at)) continue;
    if (standsAlone(text[at - 1], "[:,") && standsAlone(text[at + token.length], ",]}")) return token;
  }
  return undefined;
}

/** Whether `neighbour` (undefined at an edge of the text) may stand next to a value. */
function standsAlone(neighbour: string | undefined, separators: string): boolean {
  return neighbour === undefined || separators.includes(neighbour) || " \t\n\r".includes(neighbour);
}

/** The size of `text` in UTF-8 bytes. A lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (code < 0x800) {
      bytes += 1;
    } else if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 2;
      at++;
    } else {
      bytes += 2;
    }
  }
  return bytes;
}

/** The longest start of `text` that takes at most `maxBytes` bytes in UTF-8, in whole characters. */
export function utf8Start(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Length(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The first `length` units of `text`, without half a character at the end. */
export function wholeStart(text: string, length: number): string {
  const isHalf = text.length > length && isHighSurrogate(text.charCodeAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length);
}

export const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Whether `text` takes more than `limit` bytes in UTF-8. Counts them only if the length does not decide. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && utf8Length(text) > limit;
}

/** Replaces lone surrogates, because servers drop frames that contain one. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/**
 * How many chunks are joined at a time. Joining them early lets the garbage collector free them, while a string built
 * with `+=` keeps every chunk alive (`bench`: 0.3 µs of 2.4 per chunk).
 */
const PIECES = 32;

/** A text that arrives in chunks, up to a limit. Reading costs only the chunks since the last read. */
export class GrowingText {
  readonly #maxBytes: number;
  #joined = "";
  #pieces: string[] = [];
  #length = 0;
  /** The size in UTF-8 bytes. Counted only once the text may reach the limit. */
  #bytes: number | undefined;
  #truncated = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether a chunk did not fit. The text then ends inside that chunk. */
  get truncated(): boolean {
    return this.#truncated;
  }

  get value(): string {
    this.#join();
    return this.#joined;
  }

  add(piece: string): void {
    if (piece === "" || this.#truncated) return;
    const length = this.#length + piece.length;
    if (length * 3 > this.#maxBytes) {
      const before = this.#bytes ?? utf8Length(this.value);
      this.#bytes = before + utf8Length(piece);
      this.#truncated = this.#bytes > this.#maxBytes;
      if (this.#truncated) {
        this.#pieces.push(utf8Start(piece, this.#maxBytes - before));
        return;
      }
    }
    this.#length = length;
    this.#pieces.push(piece);
    if (this.#pieces.length === PIECES) this.#join();
  }

  #join(): void {
    if (this.#pieces.length === 0) return;
    this.#joined += this.#pieces.join("");
    this.#pieces = [];
  }
}
