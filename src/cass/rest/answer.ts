import { joinBytes } from "../../core/bytes.ts";
import { isObject } from "../../core/checks.ts";
import type { Clock } from "../../core/clock.ts";
import { ConnectError, PayloadTooLargeError, said } from "../../core/errors.ts";
import type { Reads } from "../../core/schemas.ts";
import { parseJson } from "../../core/text.ts";
import { CassApiError } from "../errors.ts";

/** The part of `Response` that the client reads. */
export interface FetchResponse {
  readonly status: number;
  /** `opaqueredirect` where a browser hides a redirect. */
  readonly type?: string;
  readonly headers: { get(name: string): string | null };
  /** The bytes as a stream. Without `body`, the client calls `arrayBuffer()`, and notices a large answer only at its end. */
  readonly body?: FetchBody | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A stream of bytes. */
export interface FetchBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  };
}

/** The settings for reading an answer. */
export interface Reading {
  /** The call, as the beginning of an error message. */
  readonly what: string;
  readonly maxReceiveBytes: number;
  readonly clock: Clock;
  /** Removes credentials. */
  readonly redact: (text: string) => string;
}

/** Characters of a server's message that an error quotes: a proxy may answer with an HTML page. */
const QUOTED = 1_000;

/** Levels of causes that are kept. Platform errors nest two levels. */
const MAX_DEPTH = 4;

/**
 * The error without an answer: the network or the caller's `fetch` failed. The thrown error may hold the whole request, so only its text
 * is kept.
 */
export function unreachable(
  problem: string,
  thrown: unknown,
  redact: (text: string) => string,
): ConnectError {
  const cause = cleanError(thrown, redact, MAX_DEPTH);
  return new ConnectError(`${problem} (${reasonOf(cause)}); is the server running?`, { cause });
}

/** The message of the innermost cause: `fetch` hides the reason behind `fetch failed`. */
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

/** The bytes of an answer. Stops reading an answer that is too large. */
export async function bytesOf(response: FetchResponse, reading: Reading): Promise<Uint8Array> {
  const { what, maxReceiveBytes: limit, redact } = reading;
  const check = (bytes: number): void => {
    if (!(bytes > limit)) return; // NaN: the header is not a number
    const message = `${what}: the answer is over \`maxReceiveBytes\` (${limit} bytes); raise the limit if it is meant`;
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

/** Reads a successful answer. @throws CassApiError for an answer of another shape */
export function readAnswer<T>(
  body: Uint8Array,
  status: number,
  shape: Reads<T>,
  { what, redact }: Reading,
): T {
  const value = parsed(body);
  if (value === undefined) throw new CassApiError(what, { status, detail: "an answer that is no JSON" });
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  // The error `User not found` has status 200.
  const words = isObject(value) && typeof value["error"] === "string" ? value["error"] : undefined;
  const fields = result.error.issues.map((issue) => issue.path.join(".") || "(itself)");
  const detail = words ?? `an answer with a wrong or missing ${fields.join(", ")}`;
  throw new CassApiError(what, { status, detail: redact(detail).slice(0, QUOTED) });
}

/** The error of a refused call. */
export function refusalOf(body: Uint8Array, response: FetchResponse, reading: Reading): CassApiError {
  const { what, clock, redact } = reading;
  const { status, headers } = response;
  const words = detailOf(body).trim();
  const detail = words === "" ? "no reason given" : redact(words).slice(0, QUOTED);
  return new CassApiError(what, { status, detail, retryAfter: retryAfterOf(headers, clock) });
}

/** The error for a redirect. Redirects are not followed: passwords and tokens go to no other server. */
export function redirectOf(response: FetchResponse, { what, redact }: Reading): CassApiError | undefined {
  const { status, headers, type } = response;
  if (type !== "opaqueredirect" && (status < 300 || status >= 400)) return undefined;
  const target = headers.get("location")?.split(/[?#]/, 1)[0];
  const where = target === undefined ? "elsewhere" : `to ${redact(target).slice(0, QUOTED)}`;
  const detail = `a redirect ${where}, which is not followed; give the address that it leads to as the URL`;
  return new CassApiError(what, { status, detail });
}

/** The error text: a string, a list of input problems, an error of the rate limiter, or no JSON at all. */
function detailOf(body: Uint8Array): string {
  const value = parsed(body);
  const { detail, error } = isObject(value) ? value : {};
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) return detail.map(problemOf).join("; ");
  return typeof error === "string" ? error : new TextDecoder().decode(body);
}

/** One input problem, without the `input`: the caller has sent it. */
function problemOf(problem: unknown): string {
  const { loc, msg } = isObject(problem) ? problem : {};
  if (typeof msg !== "string") return "a problem without words";
  const place = Array.isArray(loc)
    ? loc.filter((part) => typeof part === "string" || typeof part === "number")
    : [];
  return place.length === 0 ? msg : `${place.join(".")}: ${msg}`;
}

/** In ms. The header holds seconds or a date. */
function retryAfterOf(headers: FetchResponse["headers"], clock: Clock): number | undefined {
  const told = headers.get("retry-after");
  if (told === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(told) ? Number(told) * 1_000 : Date.parse(told) - clock.wallTime();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Parses JSON; `undefined` if invalid. The parser's own error would quote the body. */
function parsed(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
