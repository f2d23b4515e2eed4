import { unescaped } from "./spellings.ts";

/** Regular expression source for the end of a credential's name, in JSON and in URLs. */
export const CREDENTIAL_NAME =
  "(?:token|api[_-]?key|private[_-]?key|secret|password|passphrase|authorization|cookie|credentials?)";

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

/** The credentials of a URL as written there: in its query, its fragment and its user info. */
export function credentialsIn(url: string): readonly string[] {
  const [, user, password] = /^[a-z][a-z\d+.-]*:\/\/([^/?#@:]*)(?::([^/?#]*))?@/i.exec(url) ?? [];
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
