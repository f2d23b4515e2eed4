// Reads the answer of a REST call by its shape, or makes its error.
import { fieldsOf, isObject } from "../../core/checks.ts";
import {
  isRedirect,
  parsed,
  QUOTED,
  type ReadSettings,
  redirectTarget,
  retryAfterOf,
} from "../../core/http/answer.ts";
import type { FetchResponse } from "../../core/http/fetch.ts";
import type { Reads } from "../../core/schemas.ts";
import { CassApiError } from "../errors.ts";

/** Reads a successful answer. @throws CassApiError for an answer of another shape */
export function readApiAnswer<T>(
  body: Uint8Array,
  status: number,
  shape: Reads<T>,
  { what, redact }: ReadSettings,
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
export function apiErrorOf(body: Uint8Array, response: FetchResponse, reading: ReadSettings): CassApiError {
  const { what, clock, redact } = reading;
  const { status, headers } = response;
  const words = detailOf(body).trim();
  const detail = words === "" ? "no reason given" : redact(words).slice(0, QUOTED);
  return new CassApiError(what, { status, detail, retryAfter: retryAfterOf(headers, clock) });
}

/** The error for a redirect. Redirects are not followed: passwords and tokens go to no other server. */
export function redirectOf(
  response: FetchResponse,
  { what, redact }: ReadSettings,
): CassApiError | undefined {
  if (!isRedirect(response)) return undefined;
  const where = redirectTarget(response, redact);
  const detail = `a redirect ${where}, which is not followed; give the address that it leads to as the URL`;
  return new CassApiError(what, { status: response.status, detail });
}

/** The error text: a string, a list of input problems, an error of the rate limiter, or no JSON at all. */
function detailOf(body: Uint8Array): string {
  const value = parsed(body);
  const { detail, error } = fieldsOf(value);
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) return detail.map(problemOf).join("; ");
  return typeof error === "string" ? error : new TextDecoder().decode(body);
}

/** One input problem, without the `input`: the caller has sent it. */
function problemOf(problem: unknown): string {
  const { loc, msg } = fieldsOf(problem);
  if (typeof msg !== "string") return "a problem without words";
  const place = Array.isArray(loc)
    ? loc.filter((part) => typeof part === "string" || typeof part === "number")
    : [];
  return place.length === 0 ? msg : `${place.join(".")}: ${msg}`;
}
