// Errors of Codey's turns: ended by the server, unreadable, cancelled without confirmation, context lost.
import { type AgentwireError, ConnectionLostError, TurnError } from "../core/errors.ts";
import { isBusy } from "../core/link/connection-errors.ts";
import type { TurnToolCall } from "../core/values.ts";

/**
 * The reason of a failed Codey turn, as far as the server's message shows it. Retryable: `http` with 408, 429 or 5xx, `transport` and
 * `truncated`, unless `fatal`. The server keeps the question, so after a retry it stands there twice.
 */
export type CodeyFailureKind =
  /** The model API answered with an HTTP status: see `status`. */
  | "http"
  /** The model API could not be reached, or the link to it broke. */
  | "transport"
  /** The model API's stream ended early. */
  | "truncated"
  /**
   * The server cannot build its requests (often because an API key is missing) and retries without end, or the address of its model API is
   * wrong: it answers with a page instead of a stream.
   */
  | "misconfigured"
  /** A message of the turn cannot be read or handled, such as one nested deeper than 500 levels: see `serverMessage`. */
  | "unreadable"
  | "other";

/** The server ended a turn with an `Error`, retries without end, or sent an unreadable message about the turn. */
export class CodeyTurnError extends TurnError {
  protected static override readonly className: string = "CodeyTurnError";
  declare readonly kind: CodeyFailureKind;
  /** Whether the server also ended its session. The client is closed then. */
  declare readonly fatal: boolean;
}

const HTTP = /^Stream error: ApiError \{ status: (\d+), body: "/;

/** The beginnings of `Error` messages, and their kinds. */
const BEGINNINGS: readonly (readonly [beginning: string, kind: CodeyFailureKind])[] = [
  ["Stream error: ReqwestEventSource(Transport(", "transport"],
  ["Stream error: ReqwestEventSource(StreamEnded)", "truncated"],
  ["Stream error: ReqwestEventSource(InvalidContentType(", "misconfigured"],
  ["API error (", "misconfigured"],
];

/** The error of a turn that the server ended with an `Error`. `message` is the server's own, without credentials. */
export function codeyTurnError(message: string, fatal: boolean): CodeyTurnError {
  const status = Number(HTTP.exec(message)?.[1]);
  const kind = status
    ? "http"
    : (BEGINNINGS.find(([beginning]) => message.startsWith(beginning))?.[1] ?? "other");
  const retryable =
    !fatal && (kind === "http" ? isBusy(status) : kind === "transport" || kind === "truncated");
  return new CodeyTurnError(
    { origin: "error", kind, serverMessage: message, retryable, ...(status ? { status } : {}) },
    { fatal },
  );
}

/** The error of a turn for which the server retries without end. */
export function misconfigured(message: string, retries: number): CodeyTurnError {
  const serverMessage = `the server has tried ${retries} times without counting up, and said: ${message}`;
  return new CodeyTurnError({ origin: "retrying", kind: "misconfigured", serverMessage }, { fatal: false });
}

/** The error of a turn with an unreadable message that decides about the turn. */
export function unreadable(problem: string): CodeyTurnError {
  const options = { origin: "frame", kind: "unreadable", serverMessage: problem };
  return new CodeyTurnError(options, { fatal: false });
}

/** The server has not confirmed a cancel, so the client has cut the connection. */
export class UnconfirmedCancel extends ConnectionLostError {}

/** The error of prompts after a lost session: the next connection begins a new session without the earlier messages. */
export function contextLost(cause: AgentwireError): ConnectionLostError {
  const message = "the session ended with its connection, and the server has forgotten what was said in it";
  return new ConnectionLostError(message, { code: "context-lost", delivery: "not-sent", cause });
}

/** A warning for a turn with announced calls. */
export function mayRun(calls: readonly TurnToolCall[]): string {
  return calls.length > 0 ? "; a tool that was approved may still run" : "";
}

/**
 * The reason why a codey-server may not answer a connection in time. In the published build (with tokio 1.49), its session loop never
 * yields to the code that answers clients, unless the machine has many cores.
 */
export const TIMEOUT_HINT =
  "codey-server as published (with tokio 1.49) answers nobody on a machine of few cores, and each session left behind uses up a core: " +
  "restart the server, build it with tokio 1.51 or later, or give it more cores";
