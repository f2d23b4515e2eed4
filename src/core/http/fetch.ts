// The part of `fetch` that the library uses, from the caller or the platform.
import { describe } from "../checks.ts";
import { InvalidInputError, UnsupportedError } from "../errors.ts";

/** The second argument of a {@link FetchLike}. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Redirects are not followed, because a call is for one server. */
  readonly redirect: "manual";
  /** Whether a browser sends cookies. @default the platform's: to the same origin */
  readonly credentials?: "include" | "same-origin" | "omit";
  readonly signal: AbortSignal;
}

/** The part of `fetch` that the client uses. The platform's `fetch` matches it. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** The part of `Response` that the client reads. */
export interface FetchResponse {
  readonly status: number;
  /** `opaqueredirect` if a browser hides a redirect. */
  readonly type?: string;
  readonly headers: { get(name: string): string | null };
  /** The bytes as a stream. Without it, the client notices only at the end that a response is too large. */
  readonly body?: FetchBody | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A stream of bytes. */
interface FetchBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    /** Stops a stream before its end. */
    cancel?(): Promise<void>;
  };
}

/**
 * Calls the caller's `fetch`, or the platform's. Rethrows its errors.
 * @throws UnsupportedError without a `fetch`; InvalidInputError if the caller's `fetch` returns no response.
 */
export async function fetchWith(
  given: FetchLike | undefined,
  url: string,
  init: FetchInit,
): Promise<FetchResponse> {
  // Not as a method: browsers require a call without an object.
  const fetch = given ?? (globalThis.fetch as FetchLike | undefined);
  if (typeof fetch !== "function") {
    throw new UnsupportedError("this runtime has no `fetch`.", "Pass one as the option `fetch`.");
  }
  const response: unknown = await fetch(url, init);
  if (isResponse(response)) return response;
  throw new InvalidInputError(`\`fetch\` returned ${describe(response)}.`, "It must return a Response.");
}

function isResponse(value: unknown): value is FetchResponse {
  if (typeof value !== "object" || value === null) return false;
  const { status, headers } = value as Partial<FetchResponse>;
  return typeof status === "number" && typeof headers?.get === "function";
}
