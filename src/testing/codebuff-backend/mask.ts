// Removes API keys from recorded data.
import { isCredentialName } from "../redaction.ts";

const MASKED = "<masked>";

/** The headers of a request without API keys. The scheme of `authorization` stays. */
export function maskedHeaders(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [name, isCredentialName(name) ? mask(value) : value]),
  );
}

function mask(value: string): string {
  const scheme = /^Bearer /i.exec(value)?.[0] ?? "";
  return `${scheme}${MASKED}`;
}

/** Shorter keys could occur in a text by chance. */
const SHORTEST = 8;

export function holdsKey(text: string, key: string | undefined): boolean {
  return key !== undefined && key.length >= SHORTEST && text.includes(key);
}

export function maskedText(text: string, key: string | undefined): string {
  return key !== undefined && holdsKey(text, key) ? text.replaceAll(key, MASKED) : text;
}
