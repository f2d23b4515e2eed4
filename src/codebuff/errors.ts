// The error of a failed prompt, with advice for known failures.
import {
  type AgentwireError,
  ConnectionLostError,
  HandshakeError,
  isOurs,
  PayloadTooLargeError,
  TurnError,
} from "../core/errors.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import type { CodebuffSettings } from "./options.ts";
import { frameLimit } from "./session/frame-limit.ts";
import type { SocketSession } from "./session/session.ts";

/** The server ended a prompt with an error. `serverMessage` is the `message` of the frame. */
export class CodebuffTurnError extends TurnError {
  protected static override readonly className: string = "CodebuffTurnError";
  declare readonly promptId: string;
  /**
   * `action`: a `prompt-error` or `action-error`. `stream`: an error inside the text. `output`: the agent's output is an error.
   * `silent-end`: the prompt ended without a word.
   */
  declare readonly origin: CodebuffFailureOrigin;
  /** The frame's `error` field: a detail, or a code-like text. */
  declare readonly serverError?: string;

  constructor(promptId: string, failure: CodebuffFailure) {
    const { message: serverMessage, error, remainingBalance, ...details } = failure;
    const balance = remainingBalance ?? undefined;
    super({ ...details, serverMessage, balance }, { promptId, serverError: error ?? undefined });
  }
}

/** The parts of a failed prompt's error. */
interface CodebuffFailure {
  readonly origin: CodebuffFailureOrigin;
  readonly kind: string;
  readonly message: string;
  readonly error?: string | null | undefined;
  readonly remainingBalance?: number | null | undefined;
  readonly status?: number | undefined;
  readonly retryable?: boolean;
}

/** The source of a failed prompt's error: an action, the stream of chunks, the agent's output, or a missing end. */
type CodebuffFailureOrigin = "action" | "stream" | "output" | "silent-end";

/** The error for the end of a socket. `session`: the progress of the session, or `retiring` if it was to end. */
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

/** Advice for an end in the middle of a prompt, if the close reason allows one. */
export function hintFor(end: SocketEnd | AgentwireError, session: SocketSession): string | undefined {
  if (isOurs(end) || !session.blocked) return undefined;
  if (/heartbeat timeout/i.test(end.reason))
    return "the server counts no ping while it works: raise its heartbeat timeout, or set `maxConcurrentPrompts` above 1 if it reads pings meanwhile";
  if (/keepalive ping timeout/i.test(end.reason) && !session.holdsBack)
    return "the server reads nothing while it works: leave `maxConcurrentPrompts` at 1";
  return undefined;
}

/** The error of a running request whose connection ended. Each request gets its own error. */
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

/** The server closed with 1009. The cause is probably the largest frame without an ack. */
export function requestTooLarge(
  what: string,
  bytes: number,
  settings: CodebuffSettings,
): PayloadTooLargeError {
  const message = `the server closed the connection over a ${what} of ${bytes} bytes; send less`;
  const limit = frameLimit(settings, "proxy"); // the server's own limit is unknown; this default may be higher
  return new PayloadTooLargeError(message, { bytes, ...(limit < bytes ? { limit } : {}) });
}

/** The close code of the published proxy for an unknown client. The code is always final. */
const POLICY = 1008;

/** The end of a socket in words, for a message. */
function describeEnd({ code, reason }: SocketEnd): string {
  return reason === "" ? `code ${code}` : `code ${code}, "${reason}"`;
}

/** The error of a socket that ended before the session was proven. */
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
