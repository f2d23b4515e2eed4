import {
  type AgentwireError,
  ConnectionLostError,
  HandshakeError,
  isOurs,
  PayloadTooLargeError,
  TurnError,
} from "../core/errors.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import { frameLimit } from "./frame-limit.ts";
import type { CodebuffSettings } from "./options.ts";
import type { Session } from "./session.ts";

/** The server ended a prompt with an error. `message` of the frame is kept as it came in `serverMessage`. */
export class CodebuffTurnError extends TurnError {
  protected static override readonly className: string = "CodebuffTurnError";
  declare readonly promptId: string;
  declare readonly origin: CodebuffFailureOrigin;
  /** The frame's `error` field: a detail, or a code-like text. */
  declare readonly serverError?: string;

  constructor(promptId: string, failure: CodebuffFailure) {
    const { message: serverMessage, error, remainingBalance, ...details } = failure;
    const balance = remainingBalance ?? undefined;
    super({ ...details, serverMessage, balance }, { promptId, serverError: error ?? undefined });
  }
}

/** What a failed prompt's error is made of. */
export interface CodebuffFailure {
  readonly origin: CodebuffFailureOrigin;
  readonly kind: string;
  readonly message: string;
  readonly error?: string | null | undefined;
  readonly remainingBalance?: number | null | undefined;
  readonly status?: number | undefined;
  readonly retryable?: boolean;
}

/** Where a failed prompt's error showed: in an action, inside the stream of chunks, in the agent's output, or nowhere at all. */
export type CodebuffFailureOrigin = "action" | "stream" | "output" | "silent-end";

/** Why a socket ended, for the client. `session`: how far it had come, or that it was to end. */
export function lossError(
  end: SocketEnd | AgentwireError,
  session: "unproven" | "proven" | "retiring",
): AgentwireError {
  if (isOurs(end)) return end;
  if (session === "unproven" || end.code === POLICY) return endedInHandshake(end);
  const what =
    session === "retiring" ? "the server asked for a new connection" : "the server closed the connection";
  return new ConnectionLostError(`${what} (${describeEnd(end)})`, {
    closeCode: end.code,
    closeReason: end.reason,
    cause: end.cause,
  });
}

/** What the user can do about an end in the middle of a prompt, where the server says enough. */
export function hintFor(end: SocketEnd | AgentwireError, session: Session): string | undefined {
  if (isOurs(end) || !session.blocked) return undefined;
  if (/heartbeat timeout/i.test(end.reason))
    return "the server counts no ping while it works: raise its heartbeat timeout, or set `maxConcurrentPrompts` above 1 if it reads pings meanwhile";
  if (/keepalive ping timeout/i.test(end.reason) && !session.holdsBack)
    return "the server reads nothing while it works: leave `maxConcurrentPrompts` at 1";
  return undefined;
}

/** Why a request that was under way failed; each gets an error of its own. */
export function requestLost(end: SocketEnd | AgentwireError, hint?: string): ConnectionLostError {
  const unsure = "it may have been carried out, so it is not sent again by itself";
  const advice = hint === undefined ? unsure : `${unsure}; ${hint}`;
  if (isOurs(end)) {
    return new ConnectionLostError(`${end.message}; ${advice}`, { delivery: "unknown", cause: end });
  }
  return new ConnectionLostError(
    `the connection ended (${describeEnd(end)}) with the request under way; ${advice}`,
    {
      closeCode: end.code,
      closeReason: end.reason,
      delivery: "unknown",
      cause: end.cause,
    },
  );
}

/** The server closed with 1009, over what was most likely the largest frame that it had not acknowledged. */
export function requestTooLarge(
  what: string,
  bytes: number,
  settings: CodebuffSettings,
): PayloadTooLargeError {
  const message = `the server closed the connection over a ${what} of ${bytes} bytes; send less`;
  const limit = frameLimit(settings, "proxy"); // the server's own is not known; this one can be too high
  return new PayloadTooLargeError(message, { bytes, ...(limit < bytes ? { limit } : {}) });
}

/** The close code of the published proxy for a client that it does not know; whenever it comes, it is final. */
const POLICY = 1008;

/** How a socket ended, in words for a message. */
function describeEnd({ code, reason }: SocketEnd): string {
  return reason === "" ? `code ${code}` : `code ${code}, "${reason}"`;
}

/** A socket that ended before the session stood. */
function endedInHandshake(end: SocketEnd): HandshakeError {
  const { code: closeCode, cause } = end;
  const how = describeEnd(end);
  if (closeCode === POLICY) {
    const message = `the server closed the connection as a violation of its policy (${how})`;
    return new HandshakeError("policy", message, { closeCode });
  }
  const message = `the server closed the connection while it was being set up (${how})`;
  return new HandshakeError("closed", message, { retryable: true, closeCode, cause });
}
