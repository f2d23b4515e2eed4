// The errors that explain why a connection or a request failed.

import {
  type AgentwireError,
  ClosedError,
  ConnectError,
  ConnectionLostError,
  isAgentwireError,
  isOurs,
  RequestError,
  said,
} from "../errors.ts";
import { cleanCause } from "../tell/clean-cause.ts";
import type { SocketEnd } from "./socket.ts";

interface Redactor {
  /** Removes credentials from a text. */
  redact(text: string): string;
}

interface Server extends Redactor {
  /** The address, without credentials. */
  target(): string;
}

function clean(cause: unknown, redactor: Redactor): unknown {
  return cleanCause(cause, (text) => redactor.redact(text));
}

/** The error code of `ws` for a frame that is too large. */
const WS_TOO_LARGE = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";

/** The error message of `ws` for a refused upgrade, which has no error code. */
const REFUSED_UPGRADE = /^Unexpected server response: (\d{3})$/;

/** The error of a socket that never opened. Some runtimes quote the address with its credentials. */
export function connectError(end: SocketEnd | AgentwireError, server: Server): AgentwireError {
  if (isOurs(end)) return end;
  const cause = clean(end.cause, server);
  const target = server.target();
  const problem = cause instanceof Error ? cause.message : said(cause ?? "");
  const refused = REFUSED_UPGRADE.exec(problem)?.[1];
  if (refused !== undefined) {
    const status = Number(refused);
    const { hint, retryable } = adviceOn(status);
    return new ConnectError(`${target} refused the WebSocket with HTTP ${status}; ${hint}`, {
      status,
      cause,
      retryable,
    });
  }
  const why = problem === "" ? `close code ${end.code}` : problem;
  return new ConnectError(`cannot connect to ${target} (${why}); is the server running?`, { cause });
}

const WRONG_URL = "check the path and the port of the URL";

/** Advice for an upgrade that was refused with this HTTP status. */
function adviceOn(status: number): { readonly hint: string; readonly retryable: boolean } {
  if (status === 401)
    return { hint: "check the credentials: the token, the key or the headers", retryable: false };
  if (status === 403) {
    const hint = `check the credentials: the token, the key or the headers. Some servers refuse a wrong path so: ${WRONG_URL}`;
    return { hint, retryable: false };
  }
  if (isBusy(status))
    return { hint: "the server is busy or being restarted: wait, and try again", retryable: true };
  return { hint: WRONG_URL, retryable: true }; // a proxy also answers 4xx while its server is replaced
}

/** Whether the server may accept the same request later. */
export function isBusy(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Converts what an attempt threw. A WebSocket constructor quotes the address that it refuses. */
export function asConnectError(error: unknown, server: Server): AgentwireError {
  if (isOurs(error)) return error;
  const cause = clean(error, server);
  return new ConnectError(`cannot connect to ${server.target()} (${said(cause)})`, { cause });
}

export const closedByCaller = (): ClosedError => new ClosedError("the client was closed");

/** The error for every call on a closed client. `reason` is undefined during the caller's `close()`. */
export function clientClosed(
  reason: AgentwireError | undefined,
  redactor: Redactor,
  reconnects: boolean,
): ClosedError {
  const options = { cause: reason, delivery: "not-sent" } as const;
  if (!reason || isAgentwireError(reason, "closed"))
    return new ClosedError("this client was closed; make a new one", options);
  const way =
    reason.retryable && !reconnects
      ? "make a new one, with `reconnect` if it is to go on by itself"
      : "make a new one";
  return new ClosedError(`this client was closed (${redactor.redact(reason.message)}); ${way}`, options);
}

export function tooLarge(limit: number, cause: unknown): ConnectionLostError {
  const message = `the server sent a frame over \`maxReceiveBytes\` (${limit} bytes); raise the limit if you expect such frames`;
  return new ConnectionLostError(message, { cause });
}

/** The end of a socket without credentials, which a server may quote in its reason. */
export function readEnd(
  reported: SocketEnd,
  maxReceiveBytes: number,
  redactor: Redactor,
): SocketEnd | ConnectionLostError {
  const cause = clean(reported.cause, redactor);
  const { cause: error } = reported;
  if (error instanceof Error && "code" in error && error.code === WS_TOO_LARGE)
    return tooLarge(maxReceiveBytes, cause);
  return { ...reported, reason: redactor.redact(reported.reason), ...(cause === undefined ? {} : { cause }) };
}

/** The error of a frame that the socket's `send` refused. */
export function refusedFrame(cause: unknown, redactor: Redactor): ConnectionLostError {
  return new ConnectionLostError("the socket refused a frame", { cause: clean(cause, redactor) });
}

/** The error of a ready connection that was lost. */
export function linkLost(end: SocketEnd | AgentwireError): AgentwireError {
  if (isOurs(end)) return end;
  const { code: closeCode, reason: closeReason, cause } = end;
  const why = closeReason === "" ? "" : `: ${closeReason}`;
  return new ConnectionLostError(`the connection ended (code ${closeCode})${why}`, {
    closeCode,
    closeReason,
    cause,
  });
}

/** The error of a turn whose connection was lost. `also` is appended to the message. */
export function lostInTurn(error: AgentwireError, also = ""): ConnectionLostError {
  const { closeCode, closeReason } = isAgentwireError(error, "connection-lost") ? error : {};
  const message = `${error.message}, in the middle of the turn${also}`;
  return new ConnectionLostError(message, { delivery: "unknown", closeCode, closeReason, cause: error });
}

/** The error of a turn whose client was closed. */
export function closedInTurn(also = ""): ClosedError {
  return new ClosedError(`the client was closed while the turn ran${also}`, { delivery: "unknown" });
}

/** The error of a connection that ended before it was ready. */
export function neverReady(end: SocketEnd | AgentwireError, before: string): AgentwireError {
  if (isOurs(end)) return end;
  const message = `the connection ended before ${before} (code ${end.code})`;
  return new ConnectError(message, { cause: end.cause });
}

export function requestNotSent(): ConnectionLostError {
  return new ConnectionLostError("the connection ended before the request was sent; make it again", {
    delivery: "not-sent",
  });
}

export function unreadableAnswer(problem: string): RequestError {
  return new RequestError(`the server's answer cannot be read: ${problem}`, { serverMessage: problem });
}
