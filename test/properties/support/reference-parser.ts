/**
 * JSON as its grammar has it, with the bare values `Infinity`, `-Infinity` and `NaN`: slow, recursive, and with
 * nothing in common with the parser that it judges.
 *
 * @throws SyntaxError for everything else.
 */
export function parseByTheGrammar(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value();
  reader.space();
  if (!reader.atEnd) throw new SyntaxError("more than one value");
  return value;
}

const WORDS: readonly (readonly [word: string, value: unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["NaN", null],
];

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  space(): void {
    this.#take(/[ \t\n\r]*/y);
  }

  value(): unknown {
    this.space();
    if (this.#skip("[")) return this.#array();
    if (this.#skip("{")) return this.#object();
    if (this.#text[this.#at] === '"') return this.#string();
    for (const [word, value] of WORDS) if (this.#skip(word)) return value;
    const number = this.#take(/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y);
    if (number === "") throw new SyntaxError(`no value at ${this.#at}`);
    return Number(number);
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.space();
    if (this.#skip("]")) return items;
    for (;;) {
      items.push(this.value());
      this.space();
      if (this.#skip("]")) return items;
      this.#need(",");
    }
  }

  #object(): object {
    const members: object = {};
    this.space();
    if (this.#skip("}")) return members;
    for (;;) {
      this.space();
      const name = this.#string();
      this.space();
      this.#need(":");
      const value = this.value();
      Object.defineProperty(members, name, { value, configurable: true, enumerable: true, writable: true });
      this.space();
      if (this.#skip("}")) return members;
      this.#need(",");
    }
  }

  #string(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON keeps out of its strings
    const quoted = this.#take(/"([^"\\\u0000-\u001f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
    if (quoted === "") throw new SyntaxError(`no string at ${this.#at}`);
    return quoted.slice(1, -1).replace(/\\(u....|.)/g, (_, code: string) => characterOf(code));
  }

  #need(what: string): void {
    if (!this.#skip(what)) throw new SyntaxError(`no ${what} at ${this.#at}`);
  }

  #skip(what: string): boolean {
    if (!this.#text.startsWith(what, this.#at)) return false;
    this.#at += what.length;
    return true;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function characterOf(code: string): string {
  if (code.startsWith("u")) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return ESCAPES[code] ?? code;
}
