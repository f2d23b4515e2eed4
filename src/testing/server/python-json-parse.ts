// Parses JSON as Python does, with the same errors.

/**
 * Reads JSON as Python's `json.loads` does, because the server's refusals quote it: the same texts, the same positions
 * (counted in code points), the bare tokens `NaN`, `Infinity` and `-Infinity` accepted, and deep nesting refused. Integers
 * beyond 2^53 are bigints, and `1.0` is the same as `1` afterwards.
 *
 * @throws PythonJsonError, PythonRecursionError
 */
export function parsePythonJson(text: string): unknown {
  let at = 0;
  const fail: (problem: string, index?: number) => never = (problem, index = at) => {
    throw new PythonJsonError(problem, text, index);
  };
  const skipSpace = (): void => {
    while (" \t\n\r".includes(text[at] ?? "-")) at++;
  };

  const readValue = (depth: number): unknown => {
    const first = text[at];
    if (first === '"') return readString();
    if (first === "{" || first === "[") return readContainer(first === "{", depth + 1);
    for (const [word, value] of WORDS) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return value;
    }
    NUMBER.lastIndex = at;
    const [number] = NUMBER.exec(text) ?? fail("Expecting value");
    at = NUMBER.lastIndex;
    return /[.eE]/.test(number) ? Number(number) : pythonInteger(number);
  };

  const readContainer = (isObject: boolean, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new PythonRecursionError(isObject ? "object" : "array");
    const close = isObject ? "}" : "]";
    const members: [key: string, value: unknown][] = [];
    at++;
    skipSpace();
    while (text[at] !== close || members.length > 0) {
      members.push([isObject ? readKey() : "", readValue(depth)]);
      skipSpace();
      if (text[at] === close) break;
      if (text[at] !== ",") fail("Expecting ',' delimiter");
      at++;
      skipSpace();
    }
    at++;
    // fromEntries defines properties, so that a key "__proto__" is one like any other.
    return isObject ? Object.fromEntries(members) : members.map(([, value]) => value);
  };

  const readKey = (): string => {
    if (text[at] !== '"') fail("Expecting property name enclosed in double quotes");
    const key = readString();
    skipSpace();
    if (text[at] !== ":") fail("Expecting ':' delimiter");
    at++;
    skipSpace();
    return key;
  };

  const readString = (): string => {
    const begin = at++;
    let result = "";
    for (;;) {
      PLAIN_TEXT.lastIndex = at;
      result += PLAIN_TEXT.exec(text)?.[0] ?? "";
      at = PLAIN_TEXT.lastIndex;
      const stop = text[at];
      const escaped = text[at + 1];
      if (stop === '"') break;
      if (stop === undefined || (stop === "\\" && escaped === undefined))
        fail("Unterminated string starting at", begin);
      if (stop !== "\\") fail("Invalid control character at");
      if (escaped === "u") {
        const digits = text.slice(at + 2, at + 6);
        // Python wants something behind the digits, be it only the closing quote.
        if (!/^[0-9a-fA-F]{4}$/.test(digits) || at + 6 >= text.length) fail("Invalid \\uXXXX escape", at + 1);
        result += String.fromCharCode(Number.parseInt(digits, 16));
        at += 6;
      } else {
        result += ESCAPES[escaped ?? ""] ?? fail("Invalid \\escape");
        at += 2;
      }
    }
    at++;
    return result;
  };

  if (text.startsWith("\ufeff")) fail("Unexpected UTF-8 BOM (decode using utf-8-sig)");
  skipSpace();
  const value = readValue(0);
  skipSpace();
  if (at !== text.length) fail("Extra data");
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
  ...{ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" },
};
const WORDS: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
];

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
