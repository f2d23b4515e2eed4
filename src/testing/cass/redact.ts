// Takes tokens and passwords out of what is recorded.
import type { Dict } from "../server/dict.ts";

const REDACTED = "<redacted>";
const SECRETS: ReadonlySet<string> = new Set(["password", "token", "access_token", "refresh_token"]);
const SECRET_HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie"]);

/** Path and query without a token. */
export function redactedPath({ pathname, searchParams }: URL): string {
  const query = new URLSearchParams(searchParams);
  for (const name of SECRETS) if (query.has(name)) query.set(name, REDACTED);
  return query.size === 0 ? pathname : `${pathname}?${query}`;
}

export function redactedHeaders(headers: Headers): Readonly<Record<string, string>> {
  const shown = [...headers].map(([name, value]) => [name, SECRET_HEADERS.has(name) ? REDACTED : value]);
  return Object.fromEntries(shown);
}

export function redactedBody(body: Dict | undefined): Dict | undefined {
  if (body === undefined) return undefined;
  const shown = Object.entries(body).map(([name, value]) => [name, SECRETS.has(name) ? REDACTED : value]);
  return Object.fromEntries(shown);
}
