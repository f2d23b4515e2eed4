import { outerMembers } from "./outer-members.ts";

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

/** Credentials outside members: in a query, in the words of an Authorization header, and JSON Web Tokens anywhere. */
const LOOSE = [
  new RegExp(String.raw`(?<=[?&][\w.-]{0,64}${CREDENTIAL_NAME}=)[^&#\s"'\\]+`, "gi"),
  /(?<=\bBearer )[\w.~+/=-]{4,}/gi,
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g,
];

/** Characters of a secret: fewer would hit innocent text. */
const SHORTEST = 4;

/** Characters of a secret from which it is found in the middle of a word too: a shorter one may be a word itself. */
const UNMISTAKABLE = 8;

/** One look of a secret. */
interface Form {
  readonly text: string;
  /** Whether it counts in the middle of a word too. */
  readonly anywhere: boolean;
}

/** Takes credentials out of what goes into a recording. */
export class Redaction {
  readonly #known = new Set<string>();
  /** Longest first, so that a secret that begins with another leaves no rest. */
  readonly #forms: Form[] = [];

  /** @throws TypeError for a secret of fewer than 4 characters. */
  constructor(secrets: readonly string[]) {
    for (const secret of secrets) {
      if (typeof secret !== "string" || secret.length < SHORTEST)
        throw new TypeError(`a secret must be a string of ${SHORTEST} characters or more`);
      this.#add(secret, true);
    }
  }

  /** Takes credentials out of a text, and learns those that the client sends by name: a server may quote them. */
  redact(text: string, from: "client" | "server"): string {
    if (from === "client") this.#learnFrom(text);
    let clean = text;
    for (const form of this.#forms) clean = withoutForm(clean, form);
    for (const { text: secret } of this.#forms) {
      if (secret.length >= 2 * UNMISTAKABLE) clean = withoutEnds(clean, secret);
    }
    clean = withoutMembers(clean);
    for (const pattern of LOOSE) clean = clean.replace(pattern, REDACTED);
    return clean;
  }

  /** Learns the credentials in the query of a URL. */
  learnUrl(url: string): void {
    if (!URL.canParse(url)) return;
    for (const [name, value] of new URL(url).searchParams) if (NAME.test(name)) this.#learn(value);
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
      if (!NAME.test(name)) continue;
      const value = parse(text.slice(start, end));
      if (typeof value === "string") this.#learn(value);
    }
  }

  #learn(secret: string): void {
    if (secret.length >= SHORTEST) this.#add(secret, secret.length >= UNMISTAKABLE);
  }

  #add(secret: string, anywhere: boolean): void {
    if (this.#known.has(secret)) return; // the same token comes with every prompt
    this.#known.add(secret);
    for (const text of formsOf(secret)) this.#forms.push({ text, anywhere });
    this.#forms.sort((a, b) => b.text.length - a.text.length);
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // a string that was cut, in a frame that is no message anyway
  }
}

/** How a secret looks: itself, in a URL, as bytes, and in JSON of either escaping, twice nested at most. */
function formsOf(secret: string): ReadonlySet<string> {
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  const inAscii = (text: string): string =>
    inJson(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const forms = new Set([secret, encodeURIComponent(Buffer.from(secret).toString()), inBytes(secret)]);
  for (let nesting = 0; nesting < 2; nesting++) {
    for (const form of [...forms]) {
      forms.add(inJson(form)).add(inAscii(form)).add(inJson(form).replaceAll("/", "\\/"));
    }
  }
  return forms;
}

const inBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

function withoutForm(text: string, { text: secret, anywhere }: Form): string {
  if (anywhere) return text.replaceAll(secret, REDACTED);
  return text.replace(new RegExp(`(?<!\\w)${escapeRegExp(secret)}(?!\\w)`, "g"), REDACTED);
}

/** A server that quotes a long text cuts its middle out, and with it a part of a secret: this finds the rest. */
function withoutEnds(text: string, secret: string): string {
  const head = secret.slice(0, UNMISTAKABLE);
  const tail = secret.slice(-UNMISTAKABLE);
  let clean = "";
  let copied = 0;
  let nextHead = -1;
  let nextTail = -1;
  for (;;) {
    // Each is looked for again only once it was passed: the text is read twice, however many there are.
    if (nextHead < copied) nextHead = indexIn(text, head, copied);
    if (nextTail < copied) nextTail = indexIn(text, tail, copied);
    let start = Math.min(nextHead, nextTail);
    if (start === text.length) return clean + text.slice(copied);
    let end = start + UNMISTAKABLE;
    if (start === nextHead) while (text[end] === secret[end - start] && end < text.length) end++;
    else while (start > copied && text[start - 1] === secret[secret.length - 1 - (end - start)]) start--;
    clean += text.slice(copied, start) + REDACTED;
    copied = end;
  }
}

/** Where `part` begins at `from` or after it; the length of the text when nowhere. */
function indexIn(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
}

function withoutMembers(text: string): string {
  let clean = "";
  let copied = 0;
  MEMBER.lastIndex = 0;
  for (let found = MEMBER.exec(text); found; found = MEMBER.exec(text)) {
    const [whole, backslashes = "", quote = ""] = found;
    const start = found.index + whole.length;
    clean += text.slice(copied, start) + REDACTED;
    copied = MEMBER.lastIndex = endOfValue(text, start, quote, backslashes.length);
  }
  return clean + text.slice(copied);
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

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
