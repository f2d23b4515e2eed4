import { HandshakeError } from "../core/errors.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import type { Ack } from "./messages.ts";

/** Which of the two servers is at the other end. */
export type CodebuffServer = "proxy" | "codebuff";

/** What an ack means while the client identifies. */
export type IdentifyVerdict =
  /** Accepted, as far as an ack can say: a refusal may still follow it. */
  | { readonly verdict: "settle" }
  /** The original server, which knows no identify: ready at once. */
  | { readonly verdict: "legacy" }
  | { readonly verdict: "refused"; readonly error: HandshakeError }
  | { readonly verdict: "ignore" };

const LEGACY = /^Unknown message type/;

/**
 * Reads an ack during identification. `txid` is the identify's own; `acked` says that its success ack has
 * arrived, so that only a refusal without txid can still concern it.
 */
export function readIdentifyAck(ack: Ack, txid: number, acked: boolean): IdentifyVerdict {
  const anonymous = ack.txid === undefined || ack.txid === null;
  if (!anonymous && ack.txid !== txid) return { verdict: "ignore" };
  if (ack.success) return acked ? { verdict: "ignore" } : { verdict: "settle" };
  const text = ack.error ?? "";
  if (!acked && LEGACY.test(text)) return { verdict: "legacy" };
  return { verdict: "refused", error: refusal(text) };
}

/** Whether a refusal without txid is about the session as a whole. */
export function refusesSession(text: string): boolean {
  return DUPLICATE.test(text) || FULL.test(text);
}

const DUPLICATE = /already in use/;
const FULL = /^Maximum connections/;

export function refusal(text: string): HandshakeError {
  if (DUPLICATE.test(text)) {
    const message =
      "another connection holds this session id, or the server has not yet noticed that ours is gone";
    return new HandshakeError("duplicate", message, { retryable: true });
  }
  if (FULL.test(text))
    return new HandshakeError("full", `the server takes no more connections (${text})`, { retryable: true });
  return new HandshakeError(
    "nack",
    `the server refused to identify this client: ${text || "no reason given"}`,
  );
}

/** The close code of the published proxy for a client that it does not know; whenever it comes, it is final. */
export const POLICY = 1008;

/** How a socket ended, in words for a message. */
export function describeEnd({ code, reason }: SocketEnd): string {
  return reason === "" ? `code ${code}` : `code ${code}, "${reason}"`;
}

/** A socket that ended before the session stood. */
export function endedInHandshake(end: SocketEnd): HandshakeError {
  const { code: closeCode, cause } = end;
  const how = describeEnd(end);
  if (closeCode === POLICY) {
    const message = `the server closed the connection as a violation of its policy (${how})`;
    return new HandshakeError("policy", message, { closeCode });
  }
  const message = `the server closed the connection while it was being set up (${how})`;
  return new HandshakeError("closed", message, { retryable: true, closeCode, cause });
}
