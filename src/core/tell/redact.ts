// Removes credentials from every text that the library reports.
import { Table } from "../table.ts";
import { endOfString, parseFrame } from "../text.ts";
import {
  CREDENTIAL_NAME,
  isCredentialMember,
  isCredentialParameter,
  urlCredentials,
} from "./credential-names.ts";
import { joinedSpans, spansInSource, type TextSpan, unescaped } from "./spellings.ts";

/** Replaces a credential. */
export const REDACTED = "[redacted]";

const BACKSLASH = "\\";
const QUOTE = '"';

/** The colon after a member's name. */
const COLON = /\s*:/y;

/** The shortest secret to look for. Shorter ones would match innocent text. */
const SHORTEST = 4;

/** The limit of secrets that are no longer used. A server may repeat the token of a recent prompt. */
const REMEMBERED = 16;

/** How many levels of escapes are undone: JSON in JSON in JSON, or JSON in JSON in a URL. */
const LEVELS = 3;

/**
 * The name of a member with a credential, and the opening quote of its value. Matches JSON, JSON inside a JSON string
 * (with backslashes before quotes), and the Python notation in which servers quote input.
 */
const MEMBER = new RegExp(String.raw`["'][\w.-]{0,64}${CREDENTIAL_NAME}\\*["']\s*:\s*(\\*)(["'])`, "gi");

/** A URL parameter anywhere in a text. */
const PARAMETER = /[?&#]([^=&#?\s"'<>\\]{1,80})=([^&#\s"'<>\\]+)/g;

interface Known {
  /** The secret, as given and with its escapes undone. */
  readonly forms: readonly string[];
  /** The number of users of the secret. */
  uses: number;
}

/** Removes credentials from errors, warnings, logs, and `frame` and `message` events. */
export class Redactor {
  readonly #known = new Table<string, Known>();
  /** Known secrets without users, oldest first. */
  readonly #unused = new Table<string, true>();
  readonly #used = new Table<unknown, readonly string[]>();

  /** Remembers a secret without a user. Only the last 16 of these are kept. */
  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < SHORTEST) return;
    if (this.#knowledgeOf(secret).uses === 0) this.#setUnused(secret);
  }

  /** Replaces the secrets of `user`, any object or name. Unused secrets stay among the last 16. */
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

  /** Replaces known secrets in any escaping, and values and URLs that look like credentials. JSON stays valid. */
  redact(text: string): string {
    const views = [text];
    for (let view = text; views.length <= LEVELS; views.push(view)) {
      const next = unescaped(view);
      if (next === view) break;
      view = next;
    }
    let spans: readonly TextSpan[] = [];
    for (const view of views.reverse()) spans = joinedSpans(this.#spansIn(view, spansInSource(view, spans)));
    const hasQuote = spans.some(({ start, end }) => text.slice(start, end).includes(QUOTE));
    return hasQuote && isJson(text) ? this.#redactStrings(text) : without(text, spans);
  }

  /** Redacts each string of a JSON text separately, so that no value seems to continue after its string. */
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

  /** Redacts a JSON value of any depth. Returns a copy, or the value itself if it has no credentials. */
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
        // Not by assignment, because a member may be named `__proto__`.
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

  /** Returns `found` and the credentials that `text` contains literally. */
  #spansIn(text: string, found: readonly TextSpan[]): TextSpan[] {
    const spans = [...found, ...urlCredentials(text)];
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

/** Adds the values of members with a credential's name. One pass: the search continues after each value. */
function addMembers(text: string, spans: TextSpan[]): void {
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
 * The end of a string whose opening quote has `depth` backslashes: the first such quote that is not escaped. Each
 * nesting level doubles the backslashes, so the remainder of their number decides. A double quote with fewer
 * backslashes closes an outer string, because the text was cut.
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

function without(text: string, spans: readonly TextSpan[]): string {
  let clean = "";
  let copied = 0;
  for (const { start, end } of spans) {
    clean += text.slice(copied, start) + REDACTED;
    copied = end;
  }
  return copied === 0 ? text : clean + text.slice(copied);
}
