// Takes credentials out of a recording.
import { outerMembers } from "./outer-members.ts";
import { apart, type Part, partsRead, read, readingsOf, replaceParts } from "./spellings.ts";

const REDACTED = "[redacted]";

const CREDENTIAL_NAME =
  "(?:token|api[_-]?key|private[_-]?key|secret|password|passphrase|authorization|cookie|credentials?)";

/** The name of a member that holds a credential. */
const NAME = new RegExp(`${CREDENTIAL_NAME}$`, "i");

/**
 * Such a name and the quote that opens its value: in JSON, in JSON inside a JSON string (where quotes have
 * backslashes), and in the Python notation that servers quote input in.
 */
const MEMBER = new RegExp(String.raw`["'][\w.-]{0,64}${CREDENTIAL_NAME}\\*["']\s*:\s*(\\*)(["'])`, "gi");

/** Words that name a credential in a URL, as the last of a name in any case: `userPass` and `x-sig`, not `compass`. */
const PARAMETER_WORDS: ReadonlySet<string> = new Set([
  "auth",
  "oauth",
  "bearer",
  "jwt",
  "key",
  "pass",
  "passwd",
  "pwd",
  "session",
  "sid",
  "sig",
  "signature",
]);

/** A parameter of a URL, wherever that is quoted. */
const PARAMETER = /[?&#]([^=&#?\s"'<>\\]{1,80})=([^&#\s"'<>\\]+)/g;

/** Credentials elsewhere: in the words of an Authorization header, and JSON Web Tokens anywhere. */
const LOOSE = [/(?<=\bBearer )[\w.~+/=-]{4,}/gi, /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g];

/** Characters of a secret: fewer would hit innocent text. */
const SHORTEST = 4;

/** Characters of a secret from which it is found in the middle of a word too: a shorter one may be a word itself. */
const UNMISTAKABLE = 8;

/** Of the secrets that were learned, the last are remembered: each prompt may have a token of its own. */
const LEARNED = 256;

/** What is known of one secret. */
interface Known {
  /** How it may stand in a text whose escapes are undone. */
  readonly forms: readonly string[];
  /** Whether it counts in the middle of a word too. */
  readonly anywhere: boolean;
}

/** Takes credentials out of what goes into a recording. */
export class Redaction {
  readonly #named = new Map<string, Known>();
  /** The oldest first. */
  readonly #learned = new Map<string, Known>();

  /** @throws TypeError for a secret of fewer than 4 characters. */
  constructor(secrets: readonly string[]) {
    for (const secret of secrets) {
      if (typeof secret !== "string" || secret.length < SHORTEST)
        throw new TypeError(`a secret must be a string of ${SHORTEST} characters or more`);
      this.#named.set(secret, { forms: formsOf(secret), anywhere: true });
    }
  }

  /**
   * Takes credentials out of a text, however they are escaped there, and learns those that the client sends by name: a server may
   * quote them.
   */
  redact(text: string, from: "client" | "server"): string {
    if (from === "client") this.#learnFrom(text);
    const parts = readingsOf(text).reduceRight<readonly Part[]>(
      (deeper, reading) => apart([...partsRead(reading, deeper), ...this.#partsOf(reading)]),
      [],
    );
    return replaceParts(text, parts, () => REDACTED);
  }

  /** Learns the credentials of a URL: in its query, its fragment and its user info. */
  learnUrl(url: string): void {
    if (!URL.canParse(url)) return;
    const { searchParams, hash, username, password } = new URL(url);
    for (const [name, value] of [...searchParams, ...new URLSearchParams(hash.slice(1))])
      if (isParameterName(name)) this.#learn(value);
    this.#learn(read(password || username));
  }

  /** Learns the credentials in the headers of an upgrade request: the whole value, and each long word of it. */
  learnHeaders(headers: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (!NAME.test(name) || typeof value !== "string") continue;
      this.#learn(value);
      for (const word of value.split(/[\s,;=]+/)) if (word.length >= UNMISTAKABLE) this.#learn(word);
    }
  }

  #learnFrom(text: string): void {
    for (const { name, start, end } of outerMembers(text)) {
      if (!NAME.test(read(name))) continue;
      const value = parse(text.slice(start, end));
      if (typeof value === "string") this.#learn(value);
    }
  }

  #learn(secret: string): void {
    if (secret.length < SHORTEST || this.#named.has(secret)) return;
    const known = this.#learned.get(secret) ?? {
      forms: formsOf(secret),
      anywhere: secret.length >= UNMISTAKABLE,
    };
    this.#learned.delete(secret); // and is the newest again
    this.#learned.set(secret, known);
    if (this.#learned.size <= LEARNED) return;
    for (const oldest of this.#learned.keys()) {
      this.#learned.delete(oldest);
      return;
    }
  }

  /** Where credentials are in a text as it stands. */
  #partsOf(text: string): readonly Part[] {
    const parts: Part[] = [];
    const all = [...this.#named.values(), ...this.#learned.values()];
    for (const { forms, anywhere } of all) for (const form of forms) addWhole(text, form, anywhere, parts);
    const rest = replaceParts(text, parts, (length) => "\0".repeat(length)); // or an end would reach beyond its secret
    for (const form of all.flatMap(({ forms }) => forms))
      if (form.length >= 2 * UNMISTAKABLE) addEnds(rest, form, parts);
    addMembers(text, parts);
    for (const { index, 0: whole, 1: name = "", 2: value = "" } of text.matchAll(PARAMETER)) {
      const end = index + whole.length;
      if (isParameterName(read(name))) parts.push({ start: end - value.length, end });
    }
    for (const pattern of LOOSE) {
      for (const { index, 0: found } of text.matchAll(pattern))
        parts.push({ start: index, end: index + found.length });
    }
    return parts;
  }
}

function isParameterName(name: string): boolean {
  const [, stem = ""] = /^(.*\D)?\d*$/s.exec(name) ?? [];
  const words = stem.split(/(?<=[a-z\d])(?=[A-Z])|[^A-Za-z\d]+/);
  const last = words.at(-1)?.toLowerCase() ?? "";
  return NAME.test(name) || PARAMETER_WORDS.has(last) || /key$|session[_.-]?id$/i.test(name);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // a string that was cut, in a frame that is no message anyway
  }
}

/** A secret, and what comes of it where its own escapes are undone with those around it; of text, and of bytes. */
function formsOf(secret: string): readonly string[] {
  const texts = [secret, read(secret)];
  const forms = new Set([...texts, ...texts.map((text) => Buffer.from(text, "utf8").toString("latin1"))]);
  return [...forms].filter((form) => form.length >= SHORTEST);
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

/** A server that quotes a long text cuts its middle out, and with it a part of a secret: this finds the rest. */
function addEnds(text: string, secret: string, parts: Part[]): void {
  const head = secret.slice(0, UNMISTAKABLE);
  const tail = secret.slice(-UNMISTAKABLE);
  let passed = 0;
  let nextHead = -1;
  let nextTail = -1;
  for (;;) {
    // Each is looked for again only once it was passed: the text is read twice, however many there are.
    if (nextHead < passed) nextHead = indexIn(text, head, passed);
    if (nextTail < passed) nextTail = indexIn(text, tail, passed);
    let start = Math.min(nextHead, nextTail);
    if (start === text.length) return;
    let end = start + UNMISTAKABLE;
    if (start === nextHead) while (text[end] === secret[end - start] && end < text.length) end++;
    else while (start > passed && text[start - 1] === secret[secret.length - 1 - (end - start)]) start--;
    parts.push({ start, end });
    passed = end;
  }
}

/** Where `part` begins at `from` or after it; the length of the text when nowhere. */
function indexIn(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
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
 * Where the string ends whose opening quote had `depth` backslashes. Each level of nesting doubles the
 * backslashes, so a quote that closes it has `depth` of them after a multiple of what one backslash has become.
 * A double quote with fewer closes a string around it: the text was cut there.
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
