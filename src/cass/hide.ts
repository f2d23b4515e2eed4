import type { Redactor } from "../core/redact.ts";

/** Keeps a credential out of what is said, as it is and as it stands in an address. */
export function hide(secret: string | undefined, redactor: Redactor): void {
  if (secret === undefined) return;
  redactor.add(secret);
  // Half a character is in no address, and cannot be escaped.
  if (!/\p{Cs}/u.test(secret)) redactor.add(encodeURIComponent(secret));
}
