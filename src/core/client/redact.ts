import { Table } from "../table.ts";
import { endOfString, parseFrame } from "../text.ts";
import { CREDENTIAL_NAME, isCredentialMember, isCredentialParameter } from "./credential-names.ts";
import { joined, type Span, spansInSource, unescaped } from "./spellings.ts";

/** What stands in the place of a credential. */
export const REDACTED = "[redacted]";

const BACKSLASH = "\\";
const QUOTE = '"';

/** What follows the name of a member. */
const COLON = /\s*:/y;

/** Characters of a secret: fewer would hit innocent text. */
const SHORTEST = 4;

/** Secrets remembered that nothing uses any more: a server may still repeat the token of the last few prompts. */
const REMEMBERED = 16;

/** Levels of escapes that are undone: JSON in JSON in JSON, or that in a URL. */
const LEVELS = 3;

/**
 * The name of a member that holds a credential and the quote that opens its value: in JSON, in JSON inside
 * a JSON string (where quotes have backslashes), and in the Python notation that servers quote input in.
 */
const MEMBER = new RegExp(String.raw`["'][\w.-]{0,64}${CREDENTIAL_NAME}\\*["']\s*:\s*(\\*)(["'])`, "gi");

/** A parameter of a URL, wherever that is quoted. */
const PARAMETER = /[?&#]([^=&#?\s"'<>\\]{1,80})=([^&#\s"'<>\\]+)/g;

/** What is known of one secret. */
interface Known {
  /** Itself, and itself with its own escapes undone. */
  readonly forms: readonly string[];
  /** How many use it. */
  uses: number;
}

/** Takes credentials out of what leaves the library: errors, warnings, logs, `frame` and `message` events. */
export class Redactor {
  readonly #known = new Table<string, Known>();
  /** Those of them that nothing uses, the oldest first. */
  readonly #unused = new Table<string, true>();
  readonly #used = new Table<unknown, readonly string[]>();

  /** Remembers a credential among the last 16 that nothing uses. */
  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < SHORTEST) return;
    if (this.#knowledgeOf(secret).uses === 0) this.#setUnused(secret);
  }

  /**
   * Remembers what `user`, any object or name, uses, until the next call for it: that is all that it uses then. What it does not
   * use any more is among the last 16.
   */
  use(user: unknown, ...secrets: readonly (string | undefined)[]): void {
    const before = this.#used.get(user) ?? [];
    const now = secrets.filter((secret): secret is string => (secret?.length ?? 0) >= SHORTEST);
    if (now.length > 0) this.#used.set(user, now);
    else this.#used.delete(user);
    for (const secret of now) {
      this.#knowledgeOf(secret).uses++;
      this.#unused.delete(secret);
    }
    for (const secret of before) if (--this.#knowledgeOf(secret).uses === 0) this.#setUnused(secret);
  }

  /**
   * Takes out remembered secrets, however they are escaped, and the values of members and parameters with the name of a credential.
   * What was JSON still is.
   */
  redact(text: string): string {
    const views = [text];
    for (let view = text; views.length <= LEVELS; views.push(view)) {
      const next = unescaped(view);
      if (next === view) break;
      view = next;
    }
    let spans: readonly Span[] = [];
    for (const view of views.reverse()) spans = joined(this.#spansIn(view, spansInSource(view, spans)));
    const hasQuote = spans.some(({ start, end }) => text.slice(start, end).includes(QUOTE));
    return hasQuote && isJson(text) ? this.#redactStrings(text) : without(text, spans);
  }

  /** Redacts each string of a JSON text on its own. In the whole text, a value inside a string seems to go on after the end of that string. */
  #redactStrings(json: string): string {
    let clean = "";
    let copied = 0;
    let isCredential = false;
    for (let open = json.indexOf(QUOTE); open >= 0; open = json.indexOf(QUOTE, copied)) {
      const end = endOfString(json, open);
      const content = json.slice(open + 1, end);
      const redacted =
        isCredential && content !== ""
          ? REDACTED
          : content.length < SHORTEST
            ? content
            : this.redact(content);
      clean += json.slice(copied, open + 1) + redacted + QUOTE;
      copied = end + 1;
      COLON.lastIndex = copied;
      isCredential = COLON.test(json) && isCredentialMember(unescaped(content));
    }
    return clean + json.slice(copied);
  }

  /** The same for a JSON value, of any depth: a clean copy, or the value itself where it is clean. */
  redactValue(value: unknown): unknown {
    let isClean = true;
    const open: [source: object, copy: object][] = [];
    const clean = (text: string): string => {
      const redacted = this.redact(text);
      if (redacted !== text) isClean = false;
      return redacted;
    };
    const copyOf = (name: string, field: unknown): unknown => {
      if (typeof field === "string") {
        if (field === "" || !isCredentialMember(name)) return clean(field);
        isClean = false;
        return REDACTED;
      }
      if (typeof field !== "object" || field === null) return field;
      const copy = Array.isArray(field) ? [] : {};
      open.push([field, copy]);
      return copy;
    };
    const copy = copyOf("", value);
    for (let pair = open.pop(); pair; pair = open.pop()) {
      const [source, target] = pair;
      for (const [name, field] of Object.entries(source)) {
        const key = Array.isArray(source) ? name : clean(name);
        // Not assigned: a member may be called `__proto__`.
        const member = { value: copyOf(name, field), writable: true, enumerable: true, configurable: true };
        Object.defineProperty(target, key, member);
      }
    }
    return isClean ? value : copy;
  }

  #knowledgeOf(secret: string): Known {
    let known = this.#known.get(secret);
    if (!known) {
      const forms = new Set([secret, unescaped(secret)]);
      known = { forms: [...forms].filter((form) => form.length >= SHORTEST), uses: 0 };
      this.#known.set(secret, known);
    }
    return known;
  }

  #setUnused(secret: string): void {
    this.#unused.delete(secret);
    this.#unused.set(secret, true);
    if (this.#unused.size <= REMEMBERED) return;
    for (const oldest of this.#unused.keys()) {
      this.#unused.delete(oldest);
      this.#known.delete(oldest);
      return;
    }
  }

  /** `found`, and the credentials of a text as it stands. */
  #spansIn(text: string, found: readonly Span[]): Span[] {
    const spans = [...found];
    for (const { forms } of this.#known.values()) {
      for (const form of forms) {
        for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length))
          spans.push({ start: at, end: at + form.length });
      }
    }
    for (const { index, 0: whole, 1: name = "", 2: value = "" } of text.matchAll(PARAMETER)) {
      const end = index + whole.length;
      if (isCredentialParameter(name)) spans.push({ start: end - value.length, end });
    }
    addMembers(text, spans);
    return spans;
  }
}

/** One pass: after each value the search goes on behind it. */
function addMembers(text: string, spans: Span[]): void {
  MEMBER.lastIndex = 0;
  for (let found = MEMBER.exec(text); found; found = MEMBER.exec(text)) {
    const [, backslashes = "", quote = ""] = found;
    const start = MEMBER.lastIndex;
    const end = endOfValue(text, start, quote, backslashes.length);
    spans.push({ start, end });
    MEMBER.lastIndex = end;
  }
}

/**
 * Where the string ends whose opening quote had `depth` backslashes: at the first such quote that is not
 * escaped. Each level of nesting doubles the backslashes, so it is the remainder of their number that tells.
 * A double quote with fewer closes a string around it: the text was cut there.
 */
function endOfValue(text: string, start: number, quote: string, depth: number): number {
  let run = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === BACKSLASH) {
      run++;
      continue;
    }
    if (character === quote && run >= depth && (run - depth) % (2 * (depth + 1)) === 0) return at - depth;
    if (character === '"' && quote === '"' && run < depth) return at - run;
    run = 0;
  }
  return text.length;
}

function isJson(text: string): boolean {
  try {
    parseFrame(text);
    return true;
  } catch {
    return false;
  }
}

function without(text: string, spans: readonly Span[]): string {
  let clean = "";
  let copied = 0;
  for (const { start, end } of spans) {
    clean += text.slice(copied, start) + REDACTED;
    copied = end;
  }
  return copied === 0 ? text : clean + text.slice(copied);
}
