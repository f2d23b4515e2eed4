import { TurnError } from "../core/errors.ts";

/** What a failed Codey turn failed of, as far as the server's words tell. */
export type CodeyFailureKind =
  /** The model API answered with an HTTP status: see `status`. */
  | "http"
  /** The model API could not be reached, or the link to it broke. */
  | "transport"
  /** The model API's stream ended early. */
  | "truncated"
  /** The server cannot build its requests (often an API key is missing), or the address of its model API is wrong. */
  | "misconfigured"
  /** What the server said of the turn cannot be handled: `serverMessage` says why. */
  | "unreadable"
  | "other";

/** The server ended a turn with an `Error`, or can do nothing but try again. */
export class CodeyTurnError extends TurnError {
  override readonly name = "CodeyTurnError";
  declare readonly kind: CodeyFailureKind;
  /** Whether the server said that the session cannot be used any more. */
  declare readonly fatal: boolean;
}

const HTTP = /^Stream error: ApiError \{ status: (\d+), body: "/;

/** How the words of an `Error` begin, and what they mean. */
const BEGINNINGS: readonly (readonly [beginning: string, kind: CodeyFailureKind])[] = [
  ["Stream error: ReqwestEventSource(Transport(", "transport"],
  ["Stream error: ReqwestEventSource(StreamEnded)", "truncated"],
  ["Stream error: ReqwestEventSource(InvalidContentType(", "misconfigured"],
  ["API error (", "misconfigured"],
];

/** Statuses after which the same prompt may succeed; it is repeated in the model's context all the same. */
const isRetryable = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** `message` is the server's own, without credentials. */
export function turnError(message: string, fatal: boolean): CodeyTurnError {
  const status = Number(HTTP.exec(message)?.[1]);
  const kind = status
    ? "http"
    : (BEGINNINGS.find(([beginning]) => message.startsWith(beginning))?.[1] ?? "other");
  const retryable =
    !fatal && (kind === "http" ? isRetryable(status) : kind === "transport" || kind === "truncated");
  return new CodeyTurnError(
    { origin: "error", kind, serverMessage: message, retryable, ...(status ? { status } : {}) },
    { fatal },
  );
}

/** The server tries again and again without getting anywhere. */
export function misconfigured(message: string, retries: number): CodeyTurnError {
  const serverMessage = `the server has tried ${retries} times without counting up, and said: ${message}`;
  return new CodeyTurnError({ origin: "retrying", kind: "misconfigured", serverMessage }, { fatal: false });
}

/** The turn ran, and what the server said of it is lost. */
export function unreadable(problem: string): CodeyTurnError {
  return new CodeyTurnError(
    { origin: "frame", kind: "unreadable", serverMessage: problem },
    { fatal: false },
  );
}
