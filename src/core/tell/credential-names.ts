// Which names of JSON members, headers and URL parameters hold a credential.
import { type Span, unescaped } from "./spellings.ts";

/** Regular expression source for the end of a credential's name, in JSON and in URLs. */
export const CREDENTIAL_NAME =
  "(?:token|api[_-]?key|private[_-]?key|secret|password|passphrase|seed[_-]?phrase|mnemonic|authorization|cookie|creds|credentials?)";

const MEMBER = new RegExp(`${CREDENTIAL_NAME}$`, "i");

/** In a URL, any name that ends in `key` or `signature` also names a credential. */
const PARAMETER = new RegExp(`(?:${CREDENTIAL_NAME}|key|signature)\\d*$`, "i");

/** Names of credentials in a URL, only as whole words: `compass` is no `pass`. In JSON these words also name other things. */
const PARAMETER_WORDS: ReadonlySet<string> = new Set([
  "auth",
  "oauth",
  "jwt",
  "pwd",
  "passwd",
  "pass",
  "pw",
  "otp",
  "sk",
  "session",
  "sessionid",
  "sid",
  "bearer",
  "sig",
]);

/** The last word of a name in camel, snake, kebab or dotted case, or in capitals. Linear: each letter is in one word. */
const LAST_WORD = /(?:([A-Z][a-z]+)|(?:^|[^A-Za-z])([a-z]+)|(?:^|[^A-Z])([A-Z]+))\d*$/;

/** Whether a member of this name holds a credential. */
export function isCredentialMember(name: string): boolean {
  return MEMBER.test(name);
}

/** Whether a URL parameter of this name holds a credential. The name may be percent-encoded. */
export function isCredentialParameter(name: string): boolean {
  const plain = unescaped(name);
  if (PARAMETER.test(plain)) return true;
  const last = LAST_WORD.exec(plain)?.slice(1).join("") ?? "";
  return PARAMETER_WORDS.has(last.toLowerCase()) || /session[_.-]?id$/i.test(plain);
}

/**
 * The user info of a URL. A password may hold `/`, although a URL writes that as `%2F`, unless a port stands before the `/`. Linear: no search
 * passes the next `://`.
 */
const USER_INFO = /:\/\/([^\s/?#@:[]*)(?::(?!\d*[/?#])([^\s/?#]+|(?:(?!:\/\/)[^\s@])+))?@/dg;

/** The same in a text, where quotes, angle brackets and backslashes end a URL. */
const USER_INFO_IN_TEXT =
  /:\/\/([^\s/?#@:["'<>\\]*)(?::(?!\d*[/?#])([^\s/?#"'<>\\]+|(?:(?!:\/\/)[^\s@"'<>\\])+))?@/dg;

/** A user name that is a token: by the beginnings of well-known ones, or long and with a digit. */
const TOKEN =
  /^(?:gh[a-z]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt)-|xox[a-z]-|sk-|npm_|eyJ)|^(?=\D*\d)[\w-]{20,}$/;

/** The secret part of a webhook's address: who knows it can post. */
const WEBHOOK =
  /:\/\/(?:hooks\.[\w.-]+|[\w.-]+\.webhook\.office\.com|(?:[\w-]+\.)?discord(?:app)?\.com\/api\/webhooks)\/([\w/.~%+=-]{15,}[\w/=])/dgi;

/**
 * The credentials of URLs in a text: passwords, user names that are tokens, and the paths of webhooks.
 * @param isValue whether the text is one value, in which quotes end no URL
 */
export function urlCredentials(text: string, isValue = false): readonly Span[] {
  const spans: Span[] = [];
  if (!text.includes("://")) return spans;
  const add = (found: readonly [start: number, end: number] | undefined): void => {
    if (found) spans.push({ start: found[0], end: found[1] });
  };
  for (const { 1: user = "", indices } of text.matchAll(isValue ? USER_INFO : USER_INFO_IN_TEXT)) {
    if (TOKEN.test(user)) add(indices?.[1]);
    add(indices?.[2]);
  }
  for (const { indices } of text.matchAll(WEBHOOK)) add(indices?.[1]);
  return spans;
}

/** The credentials of a URL as written there: in its query, its fragment and its user info. */
export function credentialsIn(url: string): readonly string[] {
  const [found] = url.matchAll(USER_INFO);
  const [, user, password] = found?.index === url.indexOf("://") ? found : [];
  const parameters = url.split(/[?&#]/).slice(1);
  return [
    ...(password || user ? [password || user || ""] : []),
    ...parameters.flatMap((parameter) => {
      const at = parameter.indexOf("=");
      const value = parameter.slice(at + 1);
      if (at < 1 || value === "" || !isCredentialParameter(parameter.slice(0, at))) return [];
      return value.includes("+") ? [value, value.replaceAll("+", " ")] : [value]; // servers read `+` as a space
    }),
  ];
}

/** The credentials of headers: each value, the text after its scheme (`Bearer abc`), and each value of a cookie. */
export function credentialsInHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => [
    value,
    value.replace(/^[\w-]+ +/, ""),
    ...(/cookie$/i.test(name)
      ? value.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim())
      : []),
  ]);
}
