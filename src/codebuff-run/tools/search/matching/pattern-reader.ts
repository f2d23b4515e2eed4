// Reads a ripgrep pattern from left to right.

/** A pattern that the search without ripgrep does not support. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatternError";
  }
}

// Rust's classes cover Unicode, JavaScript's only ASCII.
const WORD = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]";
const NAMED: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  s: "\\p{White_Space}",
  S: "\\P{White_Space}",
  w: WORD,
  W: `[^${WORD}]`,
};

/** Avoids negative look-around: between the units of a surrogate pair, `(?!set)` always holds. */
export const NO_WORD_BEFORE = `(?:^|(?<=[^${WORD}]))`;
export const NO_WORD_AFTER = `(?:$|(?=[^${WORD}]))`;
const WORD_START = `(?:${NO_WORD_BEFORE}(?=${WORD}))`;
const WORD_END = `(?:(?<=${WORD})${NO_WORD_AFTER})`;
const WORD_BOUNDARY = `(?:${WORD_START}|${WORD_END})`;
const NO_WORD_BOUNDARY = `(?:(?<=${WORD})(?=${WORD})|${NO_WORD_BEFORE}${NO_WORD_AFTER})`;

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

const BOUNDARY = /\{(start|end|start-half|end-half)\}/y;
const HEX = /(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]{1,6})\})/y;
const PROPERTY = /([pP])(?:\{(\^?)([^{}]{1,60})\}|([A-Za-z]))/y;

export class PatternReader {
  /** For smart case: plain characters. */
  hasLiteral = false;
  hasUpperCase = false;
  readonly #pattern: string;
  readonly #allowsLineFeed: boolean;
  #at = 0;

  constructor(pattern: string, allowsLineFeed: boolean) {
    this.#pattern = pattern;
    this.#allowsLineFeed = allowsLineFeed;
  }

  get atEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  peek(ahead = 0): string {
    return this.#pattern.charAt(this.#at + ahead);
  }

  previous(length: number): string {
    return this.#pattern.slice(this.#at - length, this.#at);
  }

  take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  takeMatch(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#pattern);
    if (match) this.#at += match[0].length;
    return match ?? undefined;
  }

  /** Reads one character as its code, or an escape as a JavaScript expression. */
  readOne(place: "class" | "outside"): number | string {
    if (this.take("\\")) return this.#readEscape(place);
    const code = this.#pattern.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return this.#literal(code, place);
  }

  #readEscape(place: "class" | "outside"): number | string {
    const hex = this.takeMatch(HEX);
    if (hex) {
      const code = Number.parseInt(hex.slice(1).find((digits) => digits !== undefined) ?? "", 16);
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        throw new PatternError("invalid hexadecimal character");
      return this.#literal(code, place);
    }
    const property = this.takeMatch(PROPERTY);
    if (property) return propertyOf(property);
    const character = this.peek();
    if (character === "") throw new PatternError("incomplete escape sequence");
    this.#at++;
    const named = Object.hasOwn(NAMED, character) ? NAMED[character] : undefined;
    if (named !== undefined) return named;
    const control = Object.hasOwn(CONTROLS, character) ? CONTROLS[character] : undefined;
    if (control !== undefined) return this.#literal(control, place);
    if (/[0-9]/.test(character)) throw new PatternError("backreferences are not supported");
    if (place === "outside") {
      if (character === "b") return this.#boundary();
      if (character === "B") return NO_WORD_BOUNDARY;
      if (character === "<") return WORD_START;
      if (character === ">") return WORD_END;
    }
    if (!/[!-/:-@[-`{-~]/.test(character) || character === "<" || character === ">")
      throw new PatternError(`unrecognized escape sequence \\${character}`);
    return this.#literal(character.charCodeAt(0), place);
  }

  #boundary(): string {
    switch (this.takeMatch(BOUNDARY)?.[1]) {
      case "start":
        return WORD_START;
      case "end":
        return WORD_END;
      case "start-half":
        return NO_WORD_BEFORE;
      case "end-half":
        return NO_WORD_AFTER;
      default:
        return WORD_BOUNDARY;
    }
  }

  #literal(code: number, place: "class" | "outside"): number {
    if (code === 10 && place === "outside" && !this.#allowsLineFeed) {
      throw new PatternError(
        'the literal "\\n" is not allowed in a regex\n\nConsider enabling multiline mode with the -U flag.',
      );
    }
    this.hasLiteral = true;
    if (/\p{Uppercase}/u.test(String.fromCodePoint(code))) this.hasUpperCase = true;
    return code;
  }
}

function propertyOf([whole, letter, negation, name, short]: RegExpExecArray): string {
  const negated = (letter === "P") !== (negation === "^");
  const wanted = (name ?? short ?? "").trim();
  for (const spelling of [wanted, `Script=${wanted}`]) {
    const property = `\\${negated ? "P" : "p"}{${spelling.replace(":", "=")}}`;
    try {
      new RegExp(property, "v");
      return property;
    } catch {
      // Try the next spelling.
    }
  }
  throw new PatternError(`Unicode property not found: \\${whole}`);
}

/** Escapes a character for the flag `v`, inside and outside of classes. */
export function escapeInClass(code: number): string {
  const isPlain = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return isPlain ? String.fromCharCode(code) : `\\u{${code.toString(16)}}`;
}
