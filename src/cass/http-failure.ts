import { ConnectError, said } from "../core/errors.ts";

/** How far causes are followed: platforms nest two. */
const MAX_DEPTH = 4;

/**
 * No answer: the network, or whatever stands in for `fetch`. What that threw is told again in our own words: it may quote
 * a header, or carry the whole request.
 */
export function unreachable(
  problem: string,
  thrown: unknown,
  redact: (text: string) => string,
): ConnectError {
  const cause = cleanError(thrown, redact, MAX_DEPTH);
  return new ConnectError(`${problem} (${reasonOf(cause)}); is the server running?`, { cause });
}

/** The message that says most: `fetch` hides what happened behind `fetch failed`. */
function reasonOf(error: Error): string {
  let reason = error.message;
  for (let inner = error.cause; inner instanceof Error; inner = inner.cause) {
    if (inner.message !== "") reason = inner.message;
  }
  return reason;
}

/** What was thrown, without credentials, and without what somebody may have hung on it. */
function cleanError(thrown: unknown, redact: (text: string) => string, depth: number): Error {
  if (!(thrown instanceof Error)) return new Error(redact(said(thrown)));
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  const cause =
    thrown.cause === undefined || depth === 0 ? {} : { cause: cleanError(thrown.cause, redact, depth - 1) };
  const clean = new Error(redact(thrown.message || code), cause);
  clean.name = thrown.name;
  clean.stack = redact(thrown.stack ?? "");
  return clean;
}
