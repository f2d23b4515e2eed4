// Where links lead, and addresses that are links by themselves.

/** Parentheses inside an address, one in another. CommonMark asks for 32. */
const MAX_NESTED = 32;

/** The longest name before the `@` of an address (RFC 5321). */
const MAX_LOCAL = 64;

const SPACES = /[ \t\n]*/y;
const IN_ANGLES = /<((?:\\[^\n]|[^<>\\\n])*)>/y;
const TITLE = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)/sy;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** `end` is behind the closing parenthesis; undefined: the text ends before it. */
export interface LinkTarget {
  readonly url: string;
  readonly end: number | undefined;
}

/** Reads `(url "title")`. Returns undefined for anything else. */
export function targetAt(text: string, at: number): LinkTarget | undefined {
  if (text.charCodeAt(at) !== 40) return undefined;
  let end = behind(SPACES, text, at + 1);
  let url: string;
  if (text.charCodeAt(end) === 60) {
    IN_ANGLES.lastIndex = end;
    const found = IN_ANGLES.exec(text);
    if (found === null) return undefined;
    url = found[1] ?? "";
    end += found[0].length;
  } else {
    const from = end;
    end = bareEnd(text, from);
    if (end < 0) return undefined;
    url = text.slice(from, end);
  }
  url = url.replace(ESCAPED, "$1");
  const spaced = behind(SPACES, text, end);
  const titled = spaced > end ? behind(TITLE, text, spaced) : spaced;
  const last = titled > spaced ? behind(SPACES, text, titled) : spaced;
  if (last >= text.length) return { url, end: undefined };
  return text.charCodeAt(last) === 41 ? { url, end: last + 1 } : undefined;
}

function behind(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return at + (expression.exec(text)?.[0].length ?? 0);
}

/** The end of an address without angle brackets: at a space, or at a parenthesis that it did not open. */
function bareEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 127) break;
    if (code === 92) at += 1;
    else if (code === 40) {
      depth += 1;
      if (depth > MAX_NESTED) return -1;
    } else if (code === 41) {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  return depth === 0 || at >= text.length ? Math.min(at, text.length) : -1;
}

export interface Address {
  readonly url: string;
  readonly text: string;
  readonly end: number;
}

const ANGLED = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/iy;
const ANGLED_MAIL = /<([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*)>/y;

/** `<https://…>`, `<mailto:…>`, `<name@host>`. */
export function angledAt(text: string, at: number): Address | undefined {
  ANGLED.lastIndex = at;
  const url = ANGLED.exec(text)?.[1];
  if (url !== undefined) return { url, text: url, end: at + url.length + 2 };
  ANGLED_MAIL.lastIndex = at;
  const mail = ANGLED_MAIL.exec(text)?.[1];
  return mail === undefined ? undefined : { url: `mailto:${mail}`, text: mail, end: at + mail.length + 2 };
}

/** `taken`: how many of its characters stand before the place. */
export interface BareAddress extends Address {
  readonly taken: number;
}

const SCHEME = /(^|[^a-zA-Z0-9])(https?)$/i;
const BARE = /:\/\/[^\s<\u3000-\u303f\uff00-\uff60]+/y;
const BARE_IN_BRACKETS = /:\/\/[^\s<\]\u3000-\u303f\uff00-\uff60]+/y;
const OF_LOCAL = /[a-zA-Z0-9.+-]/;
const HOST = /@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+/y;
const OF_ADDRESS = /[\w.+-]$/;

/** The address whose `://` is at this place. `from`: nothing before it is read. */
export function webAddressAt(
  text: string,
  at: number,
  from: number,
  inBrackets: boolean,
): BareAddress | undefined {
  if (!text.startsWith("://", at)) return undefined;
  const scheme = SCHEME.exec(text.slice(Math.max(from, at - 6), at))?.[2];
  if (scheme === undefined) return undefined;
  const expression = inBrackets ? BARE_IN_BRACKETS : BARE;
  expression.lastIndex = at;
  const rest = withoutEnd(expression.exec(text)?.[0] ?? "");
  if (rest.length <= 3) return undefined;
  const url = scheme + rest;
  return { url, text: url, end: at + rest.length, taken: scheme.length };
}

/** The mail address whose `@` is at this place. `from`: nothing before it is read. */
export function mailAddressAt(text: string, at: number, from: number): BareAddress | undefined {
  let start = at;
  while (start > Math.max(from, at - MAX_LOCAL) && OF_LOCAL.test(text.charAt(start - 1))) start -= 1;
  if (start === at || (start > from && OF_ADDRESS.test(text.charAt(start - 1)))) return undefined;
  HOST.lastIndex = at;
  const host = HOST.exec(text)?.[0];
  if (host === undefined || host.endsWith("-")) return undefined;
  const address = text.slice(start, at) + host;
  return { url: `mailto:${address}`, text: address, end: at + host.length, taken: at - start };
}

/** Signs at the end belong to the sentence, as does a parenthesis that the address did not open. */
function withoutEnd(address: string): string {
  let opened = 0;
  for (let at = 0; at < address.length; at += 1) {
    const code = address.charCodeAt(at);
    if (code === 40) opened += 1;
    else if (code === 41) opened -= 1;
  }
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    if (last === ")" && opened < 0) opened += 1;
    else if (!`?!.,:;*_~'"`.includes(last)) break;
  }
  return address.slice(0, end);
}
