// Parses JSON as Python does, with the same errors.

/**
 * Reads JSON as Python's `json.loads` does, because the server's refusals quote it: the same texts, the
 * same positions (counted in code points), the bare tokens `NaN`, `Infinity` and `-Infinity` accepted, and
 * deep nesting refused. Integers beyond 2^53 are bigints, and `1.0` is the same as `1` afterwards.
 *
 * Throws {@link PythonJsonError} or {@link PythonRecursionError}.
 */
export function parsePythonJson(text: string): unknown {
  if (text.startsWith("\ufeff"))
    throw new PythonJsonError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0);
  const reader = new Reader(text);
  const start = reader.skipSpace(0);
  const value = reader.value(start, 0);
  const end = reader.skipSpace(reader.end);
  if (end !== text.length) throw new PythonJsonError("Extra data", text, end);
  return value;
}

/** An integer, however large: exact, unlike a number beyond 2^53. */
export function pythonInteger(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** What Python calls a `JSONDecodeError`. */
export class PythonJsonError extends Error {
  constructor(problem: string, text: string, index: number) {
    const before = text.slice(0, index);
    const lineStart = before.lastIndexOf("\n") + 1;
    const line = before.split("\n").length;
    const column = codePoints(before.slice(lineStart)) + 1;
    super(`${problem}: line ${line} column ${column} (char ${codePoints(before)})`);
  }
}

/** What Python calls a `RecursionError`. */
export class PythonRecursionError extends Error {
  constructor(what: "array" | "object") {
    super(`maximum recursion depth exceeded while decoding a JSON ${what} from a unicode string`);
  }
}

/** Python stops at 1000 calls, some of which are the server's own by then. */
const MAX_DEPTH = 980;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
// All of UTF-16 but the quote, the backslash and the control characters.
const PLAIN_TEXT = /[ !#-[\]-\uffff]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const WORDS: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
];

/** `end` is the index after what was read last. */
class Reader {
  end = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  skipSpace(index: number): number {
    while (" \t\n\r".includes(this.#text[index] ?? "-")) index++;
    return index;
  }

  value(index: number, depth: number): unknown {
    const text = this.#text;
    switch (text[index]) {
      case '"':
        return this.#string(index + 1);
      case "{":
        return this.#object(index + 1, depth + 1);
      case "[":
        return this.#array(index + 1, depth + 1);
    }
    for (const [word, value] of WORDS) {
      if (!text.startsWith(word, index)) continue;
      this.end = index + word.length;
      return value;
    }
    NUMBER.lastIndex = index;
    const number = NUMBER.exec(text);
    if (!number) throw new PythonJsonError("Expecting value", text, index);
    this.end = NUMBER.lastIndex;
    return /[.eE]/.test(number[0]) ? Number(number[0]) : pythonInteger(number[0]);
  }

  #array(index: number, depth: number): unknown[] {
    if (depth > MAX_DEPTH) throw new PythonRecursionError("array");
    const items: unknown[] = [];
    index = this.skipSpace(index);
    if (this.#text[index] === "]") {
      this.end = index + 1;
      return items;
    }
    for (;;) {
      items.push(this.value(index, depth));
      index = this.skipSpace(this.end);
      if (this.#text[index] === "]") break;
      this.#expectComma(index);
      index = this.skipSpace(index + 1);
    }
    this.end = index + 1;
    return items;
  }

  #object(index: number, depth: number): Record<string, unknown> {
    if (depth > MAX_DEPTH) throw new PythonRecursionError("object");
    const members = new Map<string, unknown>();
    index = this.skipSpace(index);
    if (this.#text[index] !== "}") {
      for (;;) {
        if (this.#text[index] !== '"')
          throw new PythonJsonError("Expecting property name enclosed in double quotes", this.#text, index);
        const key = this.#string(index + 1);
        index = this.skipSpace(this.end);
        if (this.#text[index] !== ":")
          throw new PythonJsonError("Expecting ':' delimiter", this.#text, index);
        members.set(key, this.value(this.skipSpace(index + 1), depth));
        index = this.skipSpace(this.end);
        if (this.#text[index] === "}") break;
        this.#expectComma(index);
        index = this.skipSpace(index + 1);
      }
    }
    this.end = index + 1;
    // fromEntries defines properties, so that a key "__proto__" is one like any other.
    return Object.fromEntries(members);
  }

  #expectComma(index: number): void {
    if (this.#text[index] !== ",") throw new PythonJsonError("Expecting ',' delimiter", this.#text, index);
  }

  /** Reads from after the opening quote. */
  #string(index: number): string {
    const text = this.#text;
    const begin = index - 1;
    let result = "";
    for (;;) {
      PLAIN_TEXT.lastIndex = index;
      result += PLAIN_TEXT.exec(text)?.[0] ?? "";
      index = PLAIN_TEXT.lastIndex;
      const stop = text[index];
      if (stop === undefined) throw new PythonJsonError("Unterminated string starting at", text, begin);
      if (stop === '"') break;
      if (stop !== "\\") throw new PythonJsonError("Invalid control character at", text, index);
      const escaped = text[index + 1];
      if (escaped === undefined) throw new PythonJsonError("Unterminated string starting at", text, begin);
      if (escaped === "u") {
        const digits = text.slice(index + 2, index + 6);
        // Python wants something behind the digits, be it only the closing quote.
        if (!/^[0-9a-fA-F]{4}$/.test(digits) || index + 6 >= text.length)
          throw new PythonJsonError("Invalid \\uXXXX escape", text, index + 1);
        result += String.fromCharCode(Number.parseInt(digits, 16));
        index += 6;
      } else {
        const character = ESCAPES[escaped];
        if (character === undefined) throw new PythonJsonError("Invalid \\escape", text, index);
        result += character;
        index += 2;
      }
    }
    this.end = index + 1;
    return result;
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
