/**
 * Reads one text frame as JSON, and tolerates what real servers write although it is not JSON: the bare
 * values `Infinity`, `-Infinity` and `NaN` (Python's encoder does; read as +Infinity, -Infinity and
 * null; all three as null where `infinity` says so, for protocols that have no such numbers). Everything
 * else that strict JSON refuses stays refused.
 *
 * Linear in time and constant in stack, whatever the input.
 *
 * @throws SyntaxError (or the platform's own error for absurd nesting) when the text is not readable.
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
 * Levels of nesting that a text from outside may have. What walks a value by recursion overflows the stack at some depth:
 * `structuredClone` at 1,500 levels, `JSON.stringify` at 4,000, on an empty stack. The states of real sessions have some
 * tens.
 */
export const MAX_NESTING = 500;

/** Why a text was not taken for its nesting. */
export const TOO_DEEP = `it is nested deeper than ${MAX_NESTING} levels`;

/**
 * Whether a text of JSON is nested deeper than {@link MAX_NESTING}. Linear, without recursion, and at once for a short
 * text: each level takes two brackets.
 */
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

/**
 * Reads a text that is no frame, such as a line or the body of an answer, as {@link parseFrame} does.
 * @throws SyntaxError also for one that is nested too deeply.
 */
export function parseJson(text: string, infinity: "kept" | "null" = "kept"): unknown {
  if (isTooDeep(text)) throw new SyntaxError(TOO_DEEP);
  return parseFrame(text, infinity);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/**
 * Each token becomes JSON of the same value: `1e999` is how JSON says Infinity. One pass over the text,
 * skipping strings; a token counts only where a whole value can stand, so `1Infinity` is left as it is
 * and refused by the parser. Returns `undefined` when there is nothing to replace.
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

/** Whether `neighbour` (undefined at an edge of the text) separates a value from what is around it. */
function standsAlone(neighbour: string | undefined, separators: string): boolean {
  return neighbour === undefined || separators.includes(neighbour) || " \t\n\r".includes(neighbour);
}

/** How many bytes `text` takes on the wire; a lone surrogate counts as the three bytes that replace it. */
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

/** The beginning of `text` that takes `maxBytes` on the wire at most; it ends behind a whole character. */
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

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Whether `text` takes more than `limit` bytes; counts them only where the length leaves a doubt. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && utf8Length(text) > limit;
}

/** Half of a surrogate pair says nothing, and servers drop a frame that has one. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
