// Removes credentials from records: the redactor of the mocks and the recorder.
import { outerMembers } from "./record/outer-members.ts";

const CREDENTIAL_NAME =
  "(?:token|api[_-]?key|private[_-]?key|secret|password|passphrase|authorization|cookie|credentials?)";

/** The name of a member or header that holds a credential. */
const NAME = new RegExp(`${CREDENTIAL_NAME}$`, "i");

/**
 * Such a name, up to the opening quote of its value: in JSON, in JSON inside a JSON string (with backslashes before
 * quotes), and in Python notation, which servers use to quote input.
 */
const MEMBER = new RegExp(String.raw`["'][\w.-]{0,64}${CREDENTIAL_NAME}\\*["']\s*:\s*(\\*)(["'])`, "gi");

/** Last words of names of URL parameters with a credential, in any case: `userPass` and `x-sig`, not `compass`. */
const PARAMETER_WORDS: ReadonlySet<string> = new Set(
  "auth oauth bearer jwt key pass passwd pwd session sid sig signature".split(" "),
);

/** A URL parameter, also in quoted URLs. */
const PARAMETER = /[?&#]([^=&#?\s"'<>\\]{1,80})=([^&#\s"'<>\\]+)/g;

/** Other credentials: in Authorization headers, and JSON Web Tokens anywhere. */
const LOOSE = [/(?<=\bBearer )[\w.~+/=-]{4,}/gi, /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g];

/** One character, escaped as in JSON, JavaScript, Python or a URL. */
const ESCAPED =
  /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|["'\\/bfnrt])|%[0-7][\da-fA-F]|%[c-fC-F][\da-fA-F](?:%[89abAB][\da-fA-F]){1,3}/g;

const CONTROLS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** How many levels of escaping are decoded: JSON in JSON in JSON, or JSON in JSON in a URL. */
const LEVELS = 3;

/** The shortest secret, in characters. Shorter ones would match innocent text. */
const SHORTEST = 4;

/** The shortest secret, in characters, that also matches inside words. A shorter one may be a word itself. */
const UNMISTAKABLE = 8;

/** The number of learned secrets to remember, since each prompt may have a new token. */
const LEARNED = 256;

/** A range of a text: from `start` up to `end`. */
interface Part {
  readonly start: number;
  readonly end: number;
}

interface Known {
  /** The forms that the secret can have in a text with decoded escapes. */
  readonly forms: readonly string[];
  /** Whether the secret also matches inside words. */
  readonly anywhere: boolean;
}

/** Whether a member or header of this name holds a credential. */
export function isCredentialName(name: string): boolean {
  return NAME.test(name);
}

export class Redaction {
  readonly replacement = "[redacted]";
  readonly #named = new Map<string, Known>();
  /** Oldest first. */
  readonly #learned = new Map<string, Known>();

  /** @throws TypeError for a secret under 4 characters. */
  constructor(secrets: readonly string[]) {
    for (const secret of secrets) {
      if (typeof secret !== "string" || secret.length < SHORTEST)
        throw new TypeError(`a secret must be a string of ${SHORTEST} characters or more`);
      this.#named.set(secret, { forms: formsOf(secret), anywhere: true });
    }
  }

  /**
   * Removes credentials from a text, in any escaping. Also learns the credentials that the client sends by name, since
   * a server may quote them.
   */
  redact(text: string, from: "client" | "server"): string {
    if (from === "client") this.#learnFrom(text);
    const readings = [text];
    for (let last = text; readings.length <= LEVELS; readings.push(last)) {
      const next = unescaped(last);
      if (next === last) break;
      last = next;
    }
    const parts = readings.reduceRight<readonly Part[]>(
      (deeper, reading) => apart([...inSource(reading, deeper), ...this.#partsOf(reading)]),
      [],
    );
    return replaced(text, parts, () => this.replacement);
  }

  /** Learns the credentials of a URL: in query, fragment and user info. */
  learnUrl(url: string): void {
    if (!URL.canParse(url)) return;
    const { searchParams, hash, username, password } = new URL(url);
    for (const [name, value] of [...searchParams, ...new URLSearchParams(hash.slice(1))])
      if (isParameterName(name)) this.#learn(value);
    this.#learn(unescaped(password || username));
  }

  /** Learns the credentials in the headers of an upgrade request: each whole value, and each long word of it. */
  learnHeaders(headers: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (!NAME.test(name) || typeof value !== "string") continue;
      this.#learn(value);
      for (const word of value.split(/[\s,;=]+/)) if (word.length >= UNMISTAKABLE) this.#learn(word);
    }
  }

  #learnFrom(text: string): void {
    for (const { name, start, end } of outerMembers(text)) {
      const literal = text.slice(start, end);
      if (NAME.test(unescaped(name)) && /^".*"$/s.test(literal)) this.#learn(unescaped(literal.slice(1, -1)));
    }
  }

  #learn(secret: string): void {
    if (secret.length < SHORTEST || this.#named.has(secret)) return;
    this.#learned.delete(secret); // move it to the newest position
    this.#learned.set(secret, { forms: formsOf(secret), anywhere: secret.length >= UNMISTAKABLE });
    const [oldest = ""] = this.#learned.keys();
    if (this.#learned.size > LEARNED) this.#learned.delete(oldest);
  }

  /** Finds the credentials in a text without decoding escapes. */
  #partsOf(text: string): readonly Part[] {
    const parts: Part[] = [];
    const known = [...this.#named.values(), ...this.#learned.values()];
    for (const { forms, anywhere } of known) for (const form of forms) addWhole(text, form, anywhere, parts);
    const rest = replaced(text, apart(parts), (length) => "\0".repeat(length)); // ends must not overlap whole secrets
    for (const form of known.flatMap(({ forms }) => forms))
      if (form.length >= 2 * UNMISTAKABLE) addEnds(rest, form, parts);
    addMembers(text, parts);
    for (const { index, 0: whole, 1: name = "", 2: value = "" } of text.matchAll(PARAMETER)) {
      const end = index + whole.length;
      if (isParameterName(unescaped(name))) parts.push({ start: end - value.length, end });
    }
    for (const pattern of LOOSE)
      for (const { index, 0: found } of text.matchAll(pattern))
        parts.push({ start: index, end: index + found.length });
    return parts;
  }
}

function isParameterName(name: string): boolean {
  const [, stem = ""] = /^(.*\D)?\d*$/s.exec(name) ?? [];
  const words = stem.split(/(?<=[a-z\d])(?=[A-Z])|[^A-Za-z\d]+/);
  const last = words.at(-1)?.toLowerCase() ?? "";
  return NAME.test(name) || PARAMETER_WORDS.has(last) || /key$|session[_.-]?id$/i.test(name);
}

/** Returns the secret as it is and with its escapes decoded, each as text and as bytes. */
function formsOf(secret: string): readonly string[] {
  const texts = [secret, unescaped(secret)];
  const bytes = texts.map((text) => Buffer.from(text, "utf8").toString("latin1"));
  return [...new Set([...texts, ...bytes])].filter((form) => form.length >= SHORTEST);
}

/** Decodes one level of escapes. */
function unescaped(text: string): string {
  return text.replace(ESCAPED, characterOf);
}

function characterOf(written: string): string {
  if (written.startsWith("%")) {
    try {
      return decodeURIComponent(written);
    } catch {
      return written; // not UTF-8
    }
  }
  if (written.length > 2) return String.fromCharCode(Number.parseInt(written.slice(2), 16));
  const letter = written.charAt(1);
  return CONTROLS[letter] ?? letter;
}

/** Maps sorted, disjoint ranges of the decoded text back to ranges of `text`. One pass. */
function inSource(text: string, parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  if (parts.length === 0) return result;
  const bounds = parts.flatMap(({ start, end }) => [start, end]);
  const mapped: number[] = [];
  let surplus = 0; // characters by which the escapes so far exceed their decoded text
  for (const { index, 0: written } of text.matchAll(ESCAPED)) {
    const { length } = characterOf(written);
    for (let bound = bounds[mapped.length]; bound !== undefined; bound = bounds[mapped.length]) {
      if (bound >= index - surplus + length) break;
      mapped.push(bound + surplus);
    }
    surplus += written.length - length;
  }
  for (const bound of bounds.slice(mapped.length)) mapped.push(bound + surplus);
  for (let at = 0; at < mapped.length; at += 2)
    result.push({ start: mapped[at] ?? 0, end: mapped[at + 1] ?? 0 });
  return result;
}

/** Sorts the ranges, merges overlapping ones, and drops empty ones. */
function apart(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  for (const part of [...parts].sort((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (part.start === part.end) continue;
    if (!last || part.start >= last.end) result.push(part);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, part.end) };
  }
  return result;
}

/** Replaces these sorted, disjoint ranges of a text. */
function replaced(text: string, parts: readonly Part[], replacement: (length: number) => string): string {
  let clean = "";
  let copied = 0;
  for (const { start, end } of parts) {
    clean += text.slice(copied, start) + replacement(end - start);
    copied = end;
  }
  return clean + text.slice(copied);
}

function addWhole(text: string, secret: string, anywhere: boolean, parts: Part[]): void {
  const isWord = (character: string | undefined): boolean => /^\w/.test(character ?? "");
  for (let start = text.indexOf(secret); start >= 0; ) {
    const end = start + secret.length;
    const fits = anywhere || !(isWord(text[start - 1]) || isWord(text[end]));
    if (fits) parts.push({ start, end });
    start = text.indexOf(secret, fits ? end : start + 1);
  }
}

/** A server that quotes a long text may cut out its middle with part of a secret. This finds the remaining ends. */
function addEnds(text: string, secret: string, parts: Part[]): void {
  const head = secret.slice(0, UNMISTAKABLE);
  const tail = secret.slice(-UNMISTAKABLE);
  for (let start = text.indexOf(head); start >= 0; ) {
    let end = start + UNMISTAKABLE;
    while (end < text.length && text[end] === secret[end - start]) end++;
    parts.push({ start, end });
    start = text.indexOf(head, end);
  }
  for (let found = text.lastIndexOf(tail); found >= 0; ) {
    const end = found + UNMISTAKABLE;
    let start = found;
    while (start > 0 && text[start - 1] === secret[secret.length - 1 - (end - start)]) start--;
    parts.push({ start, end });
    found = start < UNMISTAKABLE ? -1 : text.lastIndexOf(tail, start - UNMISTAKABLE);
  }
}

function addMembers(text: string, parts: Part[]): void {
  MEMBER.lastIndex = 0;
  for (let found = MEMBER.exec(text); found; found = MEMBER.exec(text)) {
    const [, backslashes = "", quote = ""] = found;
    const start = MEMBER.lastIndex;
    const end = endOfValue(text, start, quote, backslashes.length);
    parts.push({ start, end });
    MEMBER.lastIndex = end;
  }
}

/**
 * Returns the end of a string value whose opening quote had `depth` backslashes. Each level of nesting doubles the
 * backslashes. So a closing quote has `depth` backslashes after a multiple of one doubled backslash. A double quote
 * with fewer backslashes closes an outer string: the text was cut there.
 */
function endOfValue(text: string, start: number, quote: string, depth: number): number {
  let run = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") {
      run++;
      continue;
    }
    if (character === quote && run >= depth && (run - depth) % (2 * (depth + 1)) === 0) return at - depth;
    if (character === '"' && quote === '"' && run < depth) return at - run;
    run = 0;
  }
  return text.length;
}
