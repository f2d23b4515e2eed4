const REDACTED = "[redacted]";

/**
 * The value of a member whose name says that it is a credential, in JSON, in JSON inside a JSON string,
 * and in the Python notation that servers quote input in. One pass; no nested repetition, so it is
 * linear and needs no stack on a hostile frame.
 */
const CREDENTIAL_MEMBER =
  /((?:auth_?token|access_?token|refresh_?token|id_?token|api_?key|password|secret|authorization|cookie|"token|'token)\\?["']\s*:\s*\\?["'])[^"'\\]*/gi;

/** Takes credentials out of text that leaves the library: errors, warnings, logs, `frame` events. */
export class Redactor {
  readonly #secrets = new Set<string>();

  /** Remembers a credential, so that it is taken out wherever it turns up. Shorter than 4 characters would hit innocent text. */
  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < 4) return;
    this.#secrets.add(secret);
    this.#secrets.add(JSON.stringify(secret).slice(1, -1));
  }

  redact(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, REDACTED);
    return clean.replace(CREDENTIAL_MEMBER, `$1${REDACTED}`);
  }
}
