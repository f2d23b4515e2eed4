// Decides which names of JSON members, headers and URL parameters hold a credential.
import { type TextSpan, unescaped } from "./spellings.ts";

/** Matches the end of a credential's name in JSON and URLs (regular expression source). */
export const CREDENTIAL_NAME =
  "(?:token|api[_-]?key|private[_-]?key|secret|password|passphrase|seed[_-]?phrase|mnemonic|authorization|cookie|creds|credentials?)";

const MEMBER = new RegExp(`${CREDENTIAL_NAME}$`, "i");

/** In a URL, any name that ends in `key` or `signature` also holds a credential. */
const PARAMETER = new RegExp(`(?:${CREDENTIAL_NAME}|key|signature)\\d*$`, "i");

/** Credentials in a URL, as whole words: not `pass` in `compass`. In JSON they have other meanings too. */
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

/** The last word of a name in any case style. Linear, because each letter belongs to one word. */
const LAST_WORD = /(?:([A-Z][a-z]+)|(?:^|[^A-Za-z])([a-z]+)|(?:^|[^A-Z])([A-Z]+))\d*$/;

/** Whether a member with this name holds a credential. */
export function isCredentialMember(name: string): boolean {
  return MEMBER.test(name);
}

/** Whether a URL parameter with this name holds a credential. The name may be percent-encoded. */
export function isCredentialParameter(name: string): boolean {
  const plain = unescaped(name);
  if (PARAMETER.test(plain)) return true;
  const last = LAST_WORD.exec(plain)?.slice(1).join("") ?? "";
  return PARAMETER_WORDS.has(last.toLowerCase()) || /session[_.-]?id$/i.test(plain);
}

/**
 * The user info of a URL. The password may contain a raw `/`, but not after a port. Linear, because no search passes
 * the next `://`.
 */
const USER_INFO = /:\/\/([^\s/?#@:[]*)(?::(?!\d*[/?#])([^\s/?#]+|(?:(?!:\/\/)[^\s@])+))?@/dg;

/** The same in running text, where quotes, angle brackets and backslashes end a URL. */
const USER_INFO_IN_TEXT =
  /:\/\/([^\s/?#@:["'<>\\]*)(?::(?!\d*[/?#])([^\s/?#"'<>\\]+|(?:(?!:\/\/)[^\s@"'<>\\])+))?@/dg;

/** A user name that is a token: it has a well-known prefix, or it is long and contains a digit. */
const TOKEN =
  /^(?:gh[a-z]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt)-|xox[a-z]-|sk-|npm_|eyJ)|^(?=\D*\d)[\w-]{20,}$/;

/** The secret part of a webhook's address, which allows anybody to post. */
const WEBHOOK =
  /:\/\/(?:hooks\.[\w.-]+|[\w.-]+\.webhook\.office\.com|(?:[\w-]+\.)?discord(?:app)?\.com\/api\/webhooks)\/([\w/.~%+=-]{15,}[\w/=])/dgi;

/**
 * Finds the credentials of URLs in a text: passwords, user names that are tokens, and the paths of webhooks.
 * @param isValue whether the text is one value, in which quotes do not end a URL
 */
export function urlCredentials(text: string, isValue = false): readonly TextSpan[] {
  const spans: TextSpan[] = [];
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

/** The credentials in a URL's query, fragment and user info, as written. */
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

/** The credentials in headers: values, their text after the scheme (`Bearer abc`), and cookie values. */
export function credentialsInHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => [
    value,
    value.replace(/^[\w-]+ +/, ""),
    ...(/cookie$/i.test(name)
      ? value.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim())
      : []),
  ]);
}
