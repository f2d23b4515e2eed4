// Reads an HTTP response: its bytes within a limit, redirects, and `Retry-After`.
import { joinBytes } from "../bytes.ts";
import type { Clock } from "../clock.ts";
import { ConnectError, PayloadTooLargeError, said } from "../errors.ts";
import { jsonIn } from "../text.ts";
import type { FetchResponse } from "./fetch.ts";

/** The settings for reading a response. */
export interface ReadSettings {
  /** Names the request at the start of an error message. */
  readonly what: string;
  readonly maxReceiveBytes: number;
  readonly clock: Clock;
  /** Removes credentials. */
  readonly redact: (text: string) => string;
}

/** The maximum length of a server's message in an error. A proxy may answer with an HTML page. */
export const QUOTED = 1_000;

/** The maximum depth of kept causes. Platform errors nest two levels. */
const MAX_DEPTH = 4;

/** The error without a response. Keeps only the text of what `fetch` threw, which may hold the request. */
export function unreachable(
  problem: string,
  thrown: unknown,
  redact: (text: string) => string,
): ConnectError {
  const cause = cleanError(thrown, redact, MAX_DEPTH);
  return new ConnectError(`${problem} (${reasonOf(cause)}); is the server running?`, { cause });
}

/** The message of the innermost cause, because `fetch` hides the reason behind `fetch failed`. */
function reasonOf(error: Error): string {
  let reason = error.message;
  for (let inner = error.cause; inner instanceof Error; inner = inner.cause) {
    if (inner.message !== "") reason = inner.message;
  }
  return reason;
}

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

/** The bytes of a response. Stops reading if they exceed the limit. */
export async function bytesOf(response: FetchResponse, reading: ReadSettings): Promise<Uint8Array> {
  const { what, maxReceiveBytes: limit, redact } = reading;
  const check = (bytes: number): void => {
    if (!(bytes > limit)) return; // also false for NaN: the header is not a number
    const message = `${what}: the answer is over \`maxReceiveBytes\` (${limit} bytes); raise the limit if you expect such answers`;
    throw new PayloadTooLargeError(message, { bytes, limit });
  };
  check(Number(response.headers.get("content-length") ?? 0));
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of chunksOf(response)) {
      size += chunk.byteLength;
      check(size);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof PayloadTooLargeError) throw error;
    throw unreachable(`${what}: the answer broke off`, error, redact);
  }
  return joinBytes(chunks);
}

async function* chunksOf(response: FetchResponse): AsyncIterable<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) {
    yield new Uint8Array(await response.arrayBuffer());
    return;
  }
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    if (chunk.value) yield chunk.value;
  }
}

/** Whether the response is a redirect. These are not followed, to keep credentials on one server. */
export function isRedirect({ status, type }: FetchResponse): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

/** The target of a redirect, in words and without its query. */
export function redirectTarget({ headers }: FetchResponse, redact: (text: string) => string): string {
  const target = headers.get("location")?.split(/[?#]/, 1)[0];
  return target === undefined ? "elsewhere" : `to ${redact(target).slice(0, QUOTED)}`;
}

/** The wait from `Retry-After`, in ms. The header has seconds or a date. */
export function retryAfterOf(headers: FetchResponse["headers"], clock: Clock): number | undefined {
  const told = headers.get("retry-after");
  if (told === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(told) ? Number(told) * 1_000 : Date.parse(told) - clock.wallTime();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Parses JSON. Undefined if invalid, because the parser's own error would quote the body. */
export function parsed(body: Uint8Array): unknown {
  return jsonIn(new TextDecoder().decode(body));
}
