import {
  type AgentwireError,
  ConnectionLostError,
  isAgentwireError,
  PayloadTooLargeError,
  withoutCode,
} from "../core/errors.ts";
import { utf8Length } from "../core/frames.ts";
import type { SocketEnd } from "../core/socket.ts";
import { frameLimit } from "./frame-limit.ts";
import { describeEnd, endedInHandshake, POLICY } from "./handshake.ts";
import type { CodebuffSettings } from "./options.ts";

/** Why a socket ended, for the client. `session`: how far it had come, or that it was to end. */
export function lossError(
  end: SocketEnd | AgentwireError,
  session: "unproven" | "proven" | "retiring",
): AgentwireError {
  if (isAgentwireError(end)) return end;
  if (session === "unproven" || end.code === POLICY) return endedInHandshake(end);
  const what =
    session === "retiring" ? "the server asked for a new connection" : "the server closed the connection";
  return new ConnectionLostError(`${what} (${describeEnd(end)})`, {
    closeCode: end.code,
    closeReason: end.reason,
    cause: end.cause,
  });
}

/** Why a request that was under way failed; each gets an error of its own. */
export function requestLost(end: SocketEnd | AgentwireError): ConnectionLostError {
  const advice = "it may have been carried out, so it is not sent again by itself";
  if (isAgentwireError(end)) {
    return new ConnectionLostError(`${withoutCode(end)}; ${advice}`, { delivery: "unknown", cause: end });
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
  frame: string,
  settings: CodebuffSettings,
): PayloadTooLargeError {
  const bytes = utf8Length(frame);
  const message = `the server closed the connection over a ${what} of ${bytes} bytes; send less`;
  const limit = frameLimit(settings, "proxy"); // the server's own is not known; this one can be too high
  return new PayloadTooLargeError(message, { bytes, ...(limit < bytes ? { limit } : {}) });
}
