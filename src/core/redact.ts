const REDACTED = "[redacted]";

/** What the name of a credential ends with. */
const CREDENTIAL =
  "(?:auth_?token|access_?token|refresh_?token|id_?token|token|api_?key|password|secret|authorization|cookie)";

/**
 * The name of a member that holds a credential and the quote that opens its value: in JSON, in JSON inside
 * a JSON string (where quotes have backslashes), and in the Python notation that servers quote input in.
 */
const CREDENTIAL_MEMBER = new RegExp(`["'][\\w-]{0,40}${CREDENTIAL}\\\\*["']\\s*:\\s*(\\\\*)(["'])`, "gi");

/** In an address, any key is one. */
const CREDENTIAL_PARAMETER = new RegExp(`(?:${CREDENTIAL}|key)$`, "i");

/** Half a character is in no address, and cannot be escaped. */
const HALF = /\p{Cs}/u;

const BACKSLASH = "\\";

/** Takes credentials out of text that leaves the library: errors, warnings, logs, `frame` events. */
export class Redactor {
  /** Longest first, so that a secret that begins with another leaves no rest. */
  #secrets: readonly string[] = [];

  /**
   * Remembers a credential, so that it is taken out as it is, and as it stands in JSON and in an address. Shorter than
   * 4 characters would hit innocent text.
   */
  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < 4) return;
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      ...(HALF.test(secret) ? [] : [encodeURIComponent(secret)]),
    ];
    if (forms.every((form) => this.#secrets.includes(form))) return; // the same token comes with every prompt
    this.#secrets = [...new Set([...this.#secrets, ...forms])].sort((a, b) => b.length - a.length);
  }

  redact(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, REDACTED);
    return redactMembers(clean);
  }
}

/** One pass: after each value the search goes on behind it. */
function redactMembers(text: string): string {
  let clean = "";
  let copied = 0;
  CREDENTIAL_MEMBER.lastIndex = 0;
  for (let found = CREDENTIAL_MEMBER.exec(text); found; found = CREDENTIAL_MEMBER.exec(text)) {
    const [whole, backslashes = "", quote = ""] = found;
    const start = found.index + whole.length;
    clean += text.slice(copied, start) + REDACTED;
    copied = endOfValue(text, start, quote, backslashes.length);
    CREDENTIAL_MEMBER.lastIndex = copied;
  }
  return copied === 0 ? text : clean + text.slice(copied);
}

/**
 * Where the string ends whose opening quote had `depth` backslashes: at the first such quote that is not
 * escaped. Each level of nesting doubles the backslashes, so it is the remainder of their number that tells.
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
    run = 0;
  }
  return text.length;
}

/** The credentials in the query of an address, as they stand there and as they are meant. */
export function credentialsIn(address: string): readonly string[] {
  const start = address.indexOf("?");
  if (start < 0) return [];
  return address
    .slice(start + 1)
    .split("&")
    .flatMap((parameter) => {
      const [name = "", ...rest] = parameter.split("=");
      const value = rest.join("=");
      return value !== "" && CREDENTIAL_PARAMETER.test(name) ? [value, unescaped(value)] : [];
    });
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // not escaped, or wrongly, which servers read as it stands
  }
}
