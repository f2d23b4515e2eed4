// The part of `fetch` that the library uses, the caller's or the platform's.
import { describe } from "../checks.ts";
import { InvalidInputError, UnsupportedError } from "../errors.ts";

/** The second argument of a {@link FetchLike}. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Redirects are not followed: a call is for one server. */
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** The part of `fetch` that the client uses. The platform's `fetch` fits. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

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
    /** Stops a stream that is not read to its end. */
    cancel?(): Promise<void>;
  };
}

/**
 * Calls `fetch`, the caller's or the platform's. Passes on what it throws.
 * @throws UnsupportedError where there is none; InvalidInputError if the caller's returns no response.
 */
export async function fetchWith(
  given: FetchLike | undefined,
  url: string,
  init: FetchInit,
): Promise<FetchResponse> {
  // Called without an object: browsers require this.
  const fetch = given ?? (globalThis.fetch as FetchLike | undefined);
  if (typeof fetch !== "function") {
    throw new UnsupportedError("this runtime has no `fetch`.", "Give one as the option of that name.");
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
