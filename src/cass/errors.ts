// Errors of Cass: refused users, failed REST calls, failed and lost turns.
import {
  type AgentwireError,
  type AgentwireErrorOptions,
  HandshakeError,
  type HandshakeReason,
  RequestError,
  TurnError,
  type TurnErrorOptions,
} from "../core/errors.ts";
import { lostInTurn } from "../core/link/connection-errors.ts";

/**
 * The reason why the identity of a connection was refused.
 *
 * - `rejected`: the server says that the token is bad.
 * - `identity-mismatch`: the server takes the connection for another user, `got`.
 * - `anonymous`: the server takes it for nobody's: the token is bad, or has expired.
 * - `timeout`: the server did not answer `auth` within `connectTimeout`; some never do.
 * - `refresh-failed`: no fresh token was to be had, see `cause`. Retryable, and retried with back-off, for 429, 5xx and network failures.
 */
export type CassAuthReason = Extract<
  HandshakeReason,
  "rejected" | "identity-mismatch" | "anonymous" | "timeout" | "refresh-failed"
>;

/**
 * The user cannot be authenticated. The server refuses the token (`rejected`), identifies the client as another user
 * (`identity-mismatch`) or as no user (`anonymous`), or does not answer `auth` (`timeout`). Or no token can be got (`refresh-failed`):
 * only this reason may be `retryable`.
 */
export class CassAuthError extends HandshakeError {
  protected static override readonly className: string = "CassAuthError";
  declare readonly reason: CassAuthReason;

  constructor(
    reason: CassAuthReason,
    message: string,
    options: AgentwireErrorOptions & {
      readonly closeCode?: number | undefined;
      readonly expected?: string | undefined;
      readonly got?: string | null | undefined;
    } = {},
  ) {
    const { expected, got } = options;
    super(reason, message, options, { expected, got });
  }
}

/** The parts of a {@link CassApiError}. */
interface CassApiErrorOptions extends AgentwireErrorOptions {
  readonly status: number;
  readonly detail: string;
  readonly retryAfter?: number | undefined;
}

/** A REST call was answered with an error or an unexpected answer. Retryable for 429 and 5xx. */
export class CassApiError extends RequestError {
  protected static override readonly className: string = "CassApiError";
  /** The HTTP status. 200 if the server reports an error with status 200. 0 for a redirect whose status a browser hides. */
  declare readonly status: number;
  /** The server's own message, without credentials. Several problems with the input are joined to one line. */
  declare readonly detail: string;
  /** The wait that the server asks for, in ms. */
  declare readonly retryAfter?: number;

  /** `call` is the method and the path, without secrets. */
  constructor(call: string, options: CassApiErrorOptions) {
    const { status, detail, retryAfter } = options;
    const retryable = options.retryable ?? (status === 429 || status >= 500);
    const message = `${call} was answered with HTTP ${status}: ${detail}`;
    super(message, { ...options, retryable, serverMessage: detail }, { status, detail, retryAfter });
  }
}

/** The kind of a turn's failure, by the server's message. `initializing` and `not-available` are retryable. */
export type CassFailureKind =
  /** The request lacks an id that this server needs. */
  | "missing-ids"
  | "user-not-found"
  /** The server has no agent for onboarding. */
  | "not-available"
  /** The server is still starting. */
  | "initializing"
  /** This server does not know the request. */
  | "unknown-type"
  | "empty-message"
  /** The answer is stored, but cannot be read here: see `client.rest.getMessages()`. */
  | "unreadable-response"
  /** The model has failed, or the message is unknown. */
  | "failed";

/** The server answered a turn with an `error`, or with an unreadable response. The connection lives on. */
export class CassTurnError extends TurnError {
  protected static override readonly className: string = "CassTurnError";
  declare readonly kind: CassFailureKind;

  constructor(options: TurnErrorOptions & { readonly kind: CassFailureKind }) {
    super(options);
  }
}

const KINDS: readonly (readonly [RegExp, CassFailureKind])[] = [
  [/^Missing user_id/, "missing-ids"],
  [/^User not found/, "user-not-found"],
  [/^Agent client not available/, "not-available"],
  [/still initializing/i, "initializing"],
  [/^Unknown message type/, "unknown-type"],
  [/^Empty message/, "empty-message"],
];

/** The error of a turn that was answered with an `error`. */
export function cassTurnError(serverMessage: string): CassTurnError {
  const kind = KINDS.find(([words]) => words.test(serverMessage))?.[1] ?? "failed";
  const retryable = kind === "initializing" || kind === "not-available";
  return new CassTurnError({ origin: "error", kind, serverMessage, retryable });
}

/** The error of a turn whose response is unreadable. Not retryable: the server has stored the response. */
export function unreadableResponse(problem: string): CassTurnError {
  return new CassTurnError({ origin: "response", kind: "unreadable-response", serverMessage: problem });
}

/**
 * The error of a turn whose connection ended. The server may still finish the turn. `searched`: a search over REST did not find the
 * reply.
 */
export function lostTurn(error: AgentwireError, searched: boolean): AgentwireError {
  const what = searched
    ? "its answer was looked for and not found, and may still come: see `rest.getMessages()`"
    : "its answer may be stored: see the option `recover`";
  return lostInTurn(error, `; ${what}`);
}
