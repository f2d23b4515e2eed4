// The error classes: one for each kind of failure.
import { AgentwireError, type AgentwireErrorOptions, type ErrorCode, isOurs } from "./agentwire-error.ts";

export {
  AgentwireError,
  type AgentwireErrorOptions,
  copyError,
  type Delivery,
  type ErrorCode,
  isOurs,
  said,
  type TurnPartial,
} from "./agentwire-error.ts";

/** The caller passed something wrong. Thrown by the call, before anything is sent. */
export class InvalidInputError extends AgentwireError {
  protected static override readonly className: string = "InvalidInputError";
  declare readonly code: "invalid-input" | "already-consumed";
  /** What to do instead. */
  declare readonly hint: string;

  constructor(
    message: string,
    hint: string,
    options: AgentwireErrorOptions & { readonly code?: "invalid-input" | "already-consumed" } = {},
  ) {
    const { code = "invalid-input" } = options;
    super(code, `${message} ${hint}`, options, { hint });
  }
}

/** The runtime, the protocol or the server does not support this. Thrown by the call. */
export class UnsupportedError extends AgentwireError {
  protected static override readonly className: string = "UnsupportedError";
  declare readonly code: "unsupported";
  /** What to do instead. */
  declare readonly hint: string;

  constructor(message: string, hint: string) {
    super("unsupported", `${message} ${hint}`, {}, { hint });
  }
}

/** No WebSocket could be opened, or an HTTP request got no response. */
export class ConnectError extends AgentwireError {
  protected static override readonly className: string = "ConnectError";
  declare readonly code: "connect-failed";
  /** The HTTP status of a refused upgrade. Browsers never report it. */
  declare readonly status?: number;

  constructor(
    message: string,
    options: AgentwireErrorOptions & { readonly status?: number | undefined } = {},
  ) {
    super("connect-failed", message, { retryable: true, ...options }, { status: options.status });
  }
}

/** The socket did not open, or the server did not greet, within `connectTimeout`. */
export class ConnectTimeoutError extends AgentwireError {
  protected static override readonly className: string = "ConnectTimeoutError";
  declare readonly code: "connect-timeout";
  /** The limit in ms. */
  declare readonly timeout: number;

  /** @param hint the likely cause and what to do */
  constructor(
    timeout: number,
    step: "accept the connection" | "greet" | "answer `initialize`" = "accept the connection",
    hint = "raise `connectTimeout` if the server is slow",
  ) {
    const who = step === "answer `initialize`" ? "the agent" : "the server";
    const message = `${who} did not ${step} within ${timeout} ms; ${hint}`;
    super("connect-timeout", message, { retryable: true }, { timeout });
  }
}

/** Why the handshake failed. */
export type HandshakeReason =
  /** The server wants no such client; the agent of ACP refuses to start, to open a session, or the mode. */
  | "nack"
  | "policy"
  /** The session id is in use. */
  | "duplicate"
  /** The server has too many clients. */
  | "full"
  /** No greeting (Codey); a bad token (Cass); a bad key (a run), or none (CLI with `requireKey`). */
  | "rejected"
  /** The server takes the client for another user. */
  | "identity-mismatch"
  /** The server takes the client for nobody. */
  | "anonymous"
  /** No answer to `identify` (Codebuff) or `auth` (Cass). */
  | "timeout"
  /** No token could be had: see `cause`. */
  | "refresh-failed"
  /** The server is starting. The client asks again. */
  | "initializing"
  /** The agent wants a login. */
  | "auth"
  /** The agent does not speak the protocol's version 1. */
  | "version"
  /** The server hung up. */
  | "closed";

/** The server refused the session, or never answered the handshake. */
export class HandshakeError extends AgentwireError {
  protected static override readonly className: string = "HandshakeError";
  declare readonly code: "handshake-refused";
  declare readonly reason: HandshakeReason;
  /** The user that the client expects, if the handshake compares users. */
  declare readonly expected?: string;
  /** The user that the server named. Null: no user. */
  declare readonly got?: string | null;
  /** The close code that ended the attempt, if any. */
  declare readonly closeCode?: number;

  constructor(
    reason: HandshakeReason,
    message: string,
    options: AgentwireErrorOptions & { readonly closeCode?: number | undefined } = {},
    fields: object = {},
  ) {
    super("handshake-refused", message, options, { reason, closeCode: options.closeCode, ...fields });
  }
}

/** The connection was lost while a call waited for its result. Check `delivery` before you retry. */
export class ConnectionLostError extends AgentwireError {
  protected static override readonly className: string = "ConnectionLostError";
  declare readonly code: "connection-lost" | "context-lost";
  declare readonly closeCode?: number;
  declare readonly closeReason?: string;
  /** Set if the turn had announced a tool call. The tool may have run, or may still be running. */
  declare sideEffectsPossible?: boolean;

  constructor(
    message: string,
    options: AgentwireErrorOptions & {
      readonly code?: "connection-lost" | "context-lost";
      readonly closeCode?: number | undefined;
      readonly closeReason?: string | undefined;
      readonly sideEffectsPossible?: boolean | undefined;
    } = {},
  ) {
    const { code = "connection-lost", closeCode, closeReason, sideEffectsPossible } = options;
    const fields = { closeCode, closeReason: closeReason || undefined, sideEffectsPossible };
    super(code, message, { retryable: true, ...options }, fields);
  }
}

/** The server refused one request. */
export class RequestError extends AgentwireError {
  protected static override readonly className: string = "RequestError";
  declare readonly code: "request-refused";
  /** The id of the request on the wire, if the protocol has one. */
  declare readonly txid?: number;
  /** The server's own message. It may repeat the client's input, so check it before you log it. */
  declare readonly serverMessage: string;

  constructor(
    message: string,
    options: AgentwireErrorOptions & { readonly txid?: number | undefined; readonly serverMessage: string },
    fields: object = {},
  ) {
    const { txid, serverMessage } = options;
    super("request-refused", message, options, { txid, serverMessage, ...fields });
  }
}

/** The server did not answer a request in time. */
export class RequestTimeoutError extends AgentwireError {
  protected static override readonly className: string = "RequestTimeoutError";
  declare readonly code: "request-timeout";
  declare readonly txid?: number;
  /** The limit in ms. */
  declare readonly timeout: number;

  constructor(
    message: string,
    options: AgentwireErrorOptions & { readonly timeout: number; readonly txid?: number | undefined },
  ) {
    const { txid, timeout } = options;
    super("request-timeout", message, { retryable: true, ...options }, { txid, timeout });
  }
}

/** The parts of a {@link TurnError}. */
export interface TurnErrorOptions extends AgentwireErrorOptions {
  readonly origin: string;
  readonly kind: string;
  readonly serverMessage: string;
  /** What to do. Appended to the message. */
  readonly advice?: string | undefined;
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly balance?: number | undefined;
}

/** The server ended the turn with an error. */
export class TurnError extends AgentwireError {
  protected static override readonly className: string = "TurnError";
  declare readonly code: "turn-failed";
  /** The protocol's name for the channel of the error, such as `action` or `stream`. */
  declare readonly origin: string;
  /** The protocol's name for the error. */
  declare readonly kind: string;
  /** The server's own message, without credentials. */
  declare readonly serverMessage: string;
  /** The HTTP status of an upstream service, if the server sent one. */
  declare readonly status?: number;
  /** How long the server asks to wait, in ms. */
  declare readonly retryAfter?: number;
  /** The account's balance, if the server sent it. */
  declare readonly balance?: number;

  constructor(options: TurnErrorOptions, fields: object = {}) {
    const { origin, kind, serverMessage, advice, status, retryAfter, balance } = options;
    const own = { origin, kind, serverMessage, status, retryAfter, balance };
    const words = advice === undefined ? serverMessage : `${serverMessage.replace(/\.$/, "")}; ${advice}`;
    super("turn-failed", words, options, { ...own, ...fields });
  }
}

/** The caller ended the turn: by `cancel()`, by leaving the loop, or by a signal (reason in `cause`). */
export class TurnCancelledError extends AgentwireError {
  protected static override readonly className: string = "TurnCancelledError";
  declare readonly code: "turn-cancelled";
  declare readonly by: "user" | "signal";

  constructor(by: "user" | "signal", options: AgentwireErrorOptions = {}) {
    const message = by === "user" ? "the turn was cancelled" : "the turn's signal was aborted";
    super("turn-cancelled", message, options, { by });
  }
}

/** The turn exceeded a time limit. `idle`: no frame arrived in time. `total`: the whole turn. */
export class TurnTimeoutError extends AgentwireError {
  protected static override readonly className: string = "TurnTimeoutError";
  declare readonly code: "turn-timeout";
  declare readonly kind: "idle" | "total";
  /** The limit in ms. */
  declare readonly timeout: number;

  /** `advice` replaces the advice to raise the option. `linkLives`: the server has answered a ping since. */
  constructor(
    kind: "idle" | "total",
    timeout: number,
    {
      advice,
      linkLives = false,
      retryable = true,
    }: { readonly advice?: string; readonly linkLives?: boolean; readonly retryable?: boolean } = {},
  ) {
    const isIdle = kind === "idle";
    const [what, option] = isIdle
      ? ["nothing arrived for the turn", "idleTimeout"]
      : ["the turn did not end", "timeout"];
    const link = linkLives ? "the link is alive: " : "the link may be dead; if the server is only slow, ";
    const how = advice ?? `${isIdle ? link : ""}raise \`${option}\`, or set it to 0 to wait without end`;
    const message = `${what} within ${timeout} ms; ${how}`;
    super("turn-timeout", message, { retryable, delivery: "unknown" }, { kind, timeout });
  }
}

/** The loop left more than `maxBufferedBytes` unread. It ends, but the turn and `result` continue. */
export class BufferOverflowError extends AgentwireError {
  protected static override readonly className: string = "BufferOverflowError";
  declare readonly code: "buffer-overflow";
  declare readonly bytes: number;
  declare readonly limit: number;

  constructor(bytes: number, limit: number, message?: string) {
    const waited = `${bytes} bytes waited to be read, over the limit of ${limit}`;
    const words = message ?? `${waited}; read faster, raise \`maxBufferedBytes\`, or use \`result\``;
    super("buffer-overflow", words, {}, { bytes, limit });
  }
}

/** Too many bytes or turns are queued. */
export class QueueFullError extends AgentwireError {
  protected static override readonly className: string = "QueueFullError";
  declare readonly code: "queue-full";
  /** Bytes. The number of turns, if their number is the limit. */
  declare readonly bytes: number;
  declare readonly limit: number;

  constructor(what: "bytes" | "turns", amount: number, limit: number) {
    const message = `${amount} ${what} would wait to be sent, over the limit of ${limit}; wait for earlier turns to settle`;
    super("queue-full", message, { retryable: true, delivery: "not-sent" }, { bytes: amount, limit });
  }
}

/** A frame is larger than its receiver allows. */
export class PayloadTooLargeError extends AgentwireError {
  protected static override readonly className: string = "PayloadTooLargeError";
  declare readonly code: "payload-too-large";
  declare readonly bytes: number;
  /** The limit, if known. */
  declare readonly limit?: number;

  constructor(message: string, size: { readonly bytes: number; readonly limit?: number }) {
    super("payload-too-large", message, {}, { ...size });
  }
}

/** The client was closed by the caller, or for good after an error (the `cause`). */
export class ClosedError extends AgentwireError {
  protected static override readonly className: string = "ClosedError";
  declare readonly code: "closed";

  constructor(message: string, options: AgentwireErrorOptions = {}) {
    super("closed", message, options);
  }
}

export interface ErrorByCode {
  "invalid-input": InvalidInputError;
  "already-consumed": InvalidInputError;
  unsupported: UnsupportedError;
  "connect-failed": ConnectError;
  "connect-timeout": ConnectTimeoutError;
  "handshake-refused": HandshakeError;
  "connection-lost": ConnectionLostError;
  "context-lost": ConnectionLostError;
  "request-refused": RequestError;
  "request-timeout": RequestTimeoutError;
  "turn-failed": TurnError;
  "turn-cancelled": TurnCancelledError;
  "turn-timeout": TurnTimeoutError;
  "buffer-overflow": BufferOverflowError;
  "queue-full": QueueFullError;
  "payload-too-large": PayloadTooLargeError;
  closed: ClosedError;
}

/** Any error of this library. `code` identifies the class. */
export type AnyAgentwireError = ErrorByCode[ErrorCode];

/** Casts to the public type. Every error has one of its codes. */
export function asAny(error: AgentwireError): AnyAgentwireError {
  return error as AnyAgentwireError;
}

/**
 * Whether `error` is an error of this library, with this `code` if given. Also works where several installed copies
 * make `instanceof` fail.
 */
export function isAgentwireError<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is ErrorByCode[Code];
export function isAgentwireError(error: unknown): error is AnyAgentwireError;
export function isAgentwireError(error: unknown, code?: ErrorCode): boolean {
  return isOurs(error) && (code === undefined || error.code === code);
}
