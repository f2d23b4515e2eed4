import {
  type AgentwireError,
  ClosedError,
  ConnectError,
  ConnectionLostError,
  isAgentwireError,
  RequestError,
  said,
  withoutCode,
} from "./errors.ts";
import type { SocketEnd } from "./socket.ts";

/** `ws` tells a refused upgrade only in its message. */
const REFUSED_UPGRADE = /^Unexpected server response: (\d{3})$/;

/** Why a socket ended before it was open. A runtime may quote the whole address, so `redact` reads its words first. */
export function connectError(end: SocketEnd, target: string, redact: (text: string) => string): ConnectError {
  const cause = withoutSecrets(end.cause, redact, MAX_DEPTH);
  const problem = cause instanceof Error ? cause.message : said(cause ?? "");
  const status = REFUSED_UPGRADE.exec(problem)?.[1];
  if (status !== undefined) {
    const hint = "check the path and the port of the URL";
    return new ConnectError(`${target} refused the WebSocket with HTTP ${status}; ${hint}`, {
      status: Number(status),
      cause,
    });
  }
  const why = problem === "" ? `close code ${end.code}` : problem;
  return new ConnectError(`cannot connect to ${target} (${why}); is the server running?`, { cause });
}

/** What a failed attempt threw, as an error of this library. A constructor quotes the address that it does not take. */
export function asConnectError(
  error: unknown,
  target: string,
  redact: (text: string) => string,
): AgentwireError {
  if (isAgentwireError(error)) return error;
  const cause = withoutSecrets(error, redact, MAX_DEPTH);
  return new ConnectError(`cannot connect to ${target} (${said(cause)})`, { cause });
}

/** How far causes are followed. */
const MAX_DEPTH = 4;

/** What was thrown, or its words alone where they hold a credential. */
function withoutSecrets(thrown: unknown, redact: (text: string) => string, depth: number): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === "string" ? redact(thrown) : thrown;
  const { name, message, stack = "" } = thrown;
  const cause = depth === 0 ? undefined : withoutSecrets(thrown.cause, redact, depth - 1);
  if (redact(message) === message && redact(stack) === stack && cause === thrown.cause) return thrown;
  const clean = new Error(redact(message), cause === undefined ? undefined : { cause });
  return Object.assign(clean, { name, stack: redact(stack) });
}

/** The end that the caller wanted. */
export const closedByCaller = (): ClosedError => new ClosedError("the client was closed");

/** A client that is closed takes nothing new: why, and what to do. `reason` is undefined while its caller closes it. */
export function clientClosed(
  reason: AgentwireError | undefined,
  { redact, reconnects }: { readonly redact: (text: string) => string; readonly reconnects: boolean },
): ClosedError {
  const options = { cause: reason, delivery: "not-sent" } as const;
  if (!reason || isAgentwireError(reason, "closed"))
    return new ClosedError("this client was closed; make a new one", options);
  const way =
    reason.retryable && !reconnects
      ? "make a new one, with `reconnect` if it is to go on by itself"
      : "make a new one";
  return new ClosedError(`this client was closed, because ${redact(withoutCode(reason))}; ${way}`, options);
}

/** The frame is lost, and with it whatever turn it belonged to; the client comes back. */
export function tooLarge(limit: number, cause: unknown): ConnectionLostError {
  const message = `the server sent a frame over \`maxReceiveBytes\` (${limit} bytes); raise the limit if it is meant`;
  return new ConnectionLostError(message, { cause });
}

/** `ws` refuses such a frame by itself, and says so with a code. */
export function isTooLarge(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
}

/** Why a ready link ended. What gave it up says so itself. */
export function linkLost(end: SocketEnd | AgentwireError): AgentwireError {
  if (isAgentwireError(end)) return end;
  const { code: closeCode, reason: closeReason, cause } = end;
  const why = closeReason === "" ? "" : `: ${closeReason}`;
  return new ConnectionLostError(`the connection ended (code ${closeCode})${why}`, {
    closeCode,
    closeReason,
    cause,
  });
}

/** Why a link ended that was not ready yet: nothing was lost, for it could not be had. */
export function neverReady(end: SocketEnd | AgentwireError, before: string): AgentwireError {
  if (isAgentwireError(end)) return end;
  const message = `the connection ended before ${before} (code ${end.code})`;
  return new ConnectError(message, { cause: end.cause });
}

/** A request that no socket took. */
export function requestNotSent(): ConnectionLostError {
  return new ConnectionLostError("the connection ended before the request was sent", {
    delivery: "not-sent",
  });
}

/** A request was answered, and nobody can say with what. */
export function unreadableAnswer(problem: string): RequestError {
  return new RequestError(`the server's answer cannot be read: ${problem}`, { serverMessage: problem });
}
