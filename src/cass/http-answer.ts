import { joinBytes } from "../core/bytes.ts";
import { isObject } from "../core/checks.ts";
import type { Clock } from "../core/clock.ts";
import { PayloadTooLargeError } from "../core/errors.ts";
import type { Reads } from "../core/schemas.ts";
import { parseJson } from "../core/text.ts";
import { CassApiError } from "./errors.ts";
import type { FetchResponse } from "./fetch.ts";

/** How an answer is read, and what may be said of it. */
export interface Reading {
  /** The call, to begin a message with. */
  readonly what: string;
  readonly maxReceiveBytes: number;
  readonly clock: Clock;
  /** Takes out what nobody is to see. */
  readonly redact: (text: string) => string;
}

/** Characters of what a server says: a proxy may say it in a page of HTML. */
const QUOTED = 1_000;

/** The bytes of an answer. What is too large is not read to its end. */
export async function bytesOf(
  response: FetchResponse,
  { what, maxReceiveBytes }: Reading,
): Promise<Uint8Array> {
  const announced = Number(response.headers.get("content-length") ?? 0);
  if (announced > maxReceiveBytes) throw tooLarge(what, announced, maxReceiveBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    size += chunk.byteLength;
    if (size > maxReceiveBytes) throw tooLarge(what, size, maxReceiveBytes);
    chunks.push(chunk);
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

function tooLarge(what: string, bytes: number, limit: number): PayloadTooLargeError {
  const message = `${what}: the answer is over \`maxReceiveBytes\` (${limit} bytes); raise the limit if it is meant`;
  return new PayloadTooLargeError(message, { bytes, limit });
}

/** What a good answer says. @throws CassApiError for one that is not what it should be */
export function readAnswer<T>(
  body: Uint8Array,
  status: number,
  shape: Reads<T>,
  { what, redact }: Reading,
): T {
  const value = parsed(new TextDecoder().decode(body));
  if (value === undefined) throw new CassApiError(what, { status, detail: "an answer that is no JSON" });
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  // A user that is gone is told so, as if it were an answer.
  const words = isObject(value) && typeof value["error"] === "string" ? value["error"] : undefined;
  const fields = result.error.issues.map((issue) => issue.path.join(".") || "(itself)");
  const detail = words ?? `an answer with a wrong or missing ${fields.join(", ")}`;
  throw new CassApiError(what, { status, detail: redact(detail).slice(0, QUOTED) });
}

/** What a server refuses a call with. */
export function refusalOf(body: Uint8Array, response: FetchResponse, reading: Reading): CassApiError {
  const { what, clock, redact } = reading;
  const { status, headers } = response;
  const words = detailOf(new TextDecoder().decode(body)).trim();
  const detail = words === "" ? "no reason given" : redact(words).slice(0, QUOTED);
  return new CassApiError(what, { status, detail, retryAfter: retryAfterOf(headers, clock) });
}

/** Redirects are not followed: a password is not to go where nobody has sent it, nor a token. */
export function redirectOf(response: FetchResponse, { what, redact }: Reading): CassApiError | undefined {
  const { status, headers, type } = response;
  if (type !== "opaqueredirect" && (status < 300 || status >= 400)) return undefined;
  const target = headers.get("location")?.split(/[?#]/, 1)[0];
  const where = target === undefined ? "elsewhere" : `to ${redact(target).slice(0, QUOTED)}`;
  const detail = `a redirect ${where}, which is not followed; give the address that it leads to as the URL`;
  return new CassApiError(what, { status, detail });
}

/** What may be a string, a list of problems with the input, an error of the limiter, or no JSON at all. */
function detailOf(text: string): string {
  const value = parsed(text);
  const { detail, error } = isObject(value) ? value : {};
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) return detail.map(problemOf).join("; ");
  if (typeof error === "string") return error;
  return text;
}

/** Without its `input`, which is what was sent. */
function problemOf(problem: unknown): string {
  const { loc, msg } = isObject(problem) ? problem : {};
  if (typeof msg !== "string") return "a problem without words";
  const place = Array.isArray(loc) ? loc.filter(isPlace).join(".") : "";
  return place === "" ? msg : `${place}: ${msg}`;
}

/** The name of a field, or the index of an item. */
function isPlace(part: unknown): part is string | number {
  return typeof part === "string" || typeof part === "number";
}

/** In ms; it is told in seconds, or as a date. */
function retryAfterOf(headers: FetchResponse["headers"], clock: Clock): number | undefined {
  const told = headers.get("retry-after");
  if (told === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(told) ? Number(told) * 1_000 : Date.parse(told) - clock.wallTime();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Undefined for what is no JSON. The parser's own error would quote it. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
