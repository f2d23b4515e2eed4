// Finds values near the top level of a JSON text, to replace one and keep all other characters.

/** A string, number or word in a message, or in an object directly inside a message. */
export interface OuterMember {
  readonly name: string;
  /** The range of the JSON value in the text: from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
}

/** Deeper objects hold content, whatever their member names. */
const DEEPEST = 2;

/**
 * Finds the outer members of a message in its text, so that one value can be replaced and all other characters stay.
 * Invalid JSON is read as far as possible. One pass.
 */
export function* outerMembers(text: string): Generator<OuterMember> {
  let depth = 0;
  let name: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') {
      const start = at;
      at = endOfString(text, at);
      const colon = lengthOf(COLON, text, at + 1);
      if (colon > 0) {
        name = text.slice(start + 1, at);
        at += colon;
      } else {
        if (name !== undefined && depth <= DEEPEST) yield { name, start, end: at + 1 };
        name = undefined;
      }
    } else if (character === "{" || character === "[") {
      depth++;
      name = undefined;
    } else if (character === "}" || character === "]") {
      depth--;
      name = undefined;
    } else {
      const length = lengthOf(WORD, text, at);
      if (length === 0) continue;
      if (name !== undefined && depth <= DEEPEST) yield { name, start: at, end: at + length };
      name = undefined;
      at += length - 1;
    }
  }
}

const COLON = /\s*:/y;
const WORD = /[\w.+-]+/y;

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex - at : 0;
}

/** Returns the index of the closing quote of the string at `open`, or of the last character. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length - 1;
}
