import { type AgentwireError, ConnectError, isAgentwireError, said } from "./errors.ts";
import type { SocketEnd } from "./socket.ts";

/** `ws` tells a refused upgrade only in its message. */
const REFUSED_UPGRADE = /^Unexpected server response: (\d{3})$/;

/** Why a socket ended before it was open. */
export function connectError(end: SocketEnd, target: string): ConnectError {
  const problem = end.cause instanceof Error ? end.cause.message : said(end.cause ?? "");
  const status = REFUSED_UPGRADE.exec(problem)?.[1];
  if (status !== undefined) {
    const hint = "check the path and the port of the URL";
    return new ConnectError(`${target} refused the WebSocket with HTTP ${status}; ${hint}`, {
      status: Number(status),
      cause: end.cause,
    });
  }
  const why = problem === "" ? `close code ${end.code}` : problem;
  return new ConnectError(`cannot connect to ${target} (${why}); is the server running?`, {
    cause: end.cause,
  });
}

/** What a failed attempt threw, as an error of this library. */
export function asConnectError(error: unknown, target: string): AgentwireError {
  if (isAgentwireError(error)) return error;
  return new ConnectError(`cannot connect to ${target} (${said(error)})`, { cause: error });
}
