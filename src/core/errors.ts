import type { Cost, TurnToolCall, Usage } from "./values.ts";

/**
 * Whether the server may have seen what failed. `not-sent`: it never left this machine, and trying again
 * repeats nothing. `unknown`: it was written to a socket; trying again may do the work twice.
 */
export type Delivery = "not-sent" | "unknown";

/** What a turn had produced when it ended early. */
export interface TurnPartial {
  /** The text so far. */
  readonly text: string;
  /** Its tool calls, if there were any. */
  readonly toolCalls?: readonly TurnToolCall[];
  /** What it used and what it cost so far, where the server tells. */
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** What a conversation can go on from, as far as this turn knows. */
  readonly state?: unknown;
  /** What the server still said of its end, after the turn had been stopped here. */
  readonly endedBy?: unknown;
}

/** What every error can be given. */
export interface AgentwireErrorOptions {
  readonly cause?: unknown;
  readonly retryable?: boolean | undefined;
  readonly delivery?: Delivery | undefined;
}

/** Marks errors of this package, across copies of it: `instanceof` fails between two installed versions. */
const BRAND = Symbol.for("agentwire.error");

/**
 * Base of every error that the library throws or rejects with. `code` is stable and meant for programs;
 * the message leads with it, because consoles often show nothing else.
 */
export abstract class AgentwireError extends Error {
  abstract readonly code: ErrorCode;
  /** Whether the same call can succeed later without being changed. Says nothing of side effects: see `delivery`. */
  readonly retryable: boolean;
  /** What the turn had produced, where a turn was under way. */
  declare partial?: TurnPartial;
  /** Whether the server may have seen the prompt; set on errors that end a turn without the server's own word. */
  declare delivery?: Delivery;
  /** What was passed to `prompt()`, handed back when it was `not-sent`; without an `authToken`, since errors are logged. */
  declare input?: unknown;

  /** `fields` are those that a subclass declares; one that is undefined is left out, and does not show. */
  constructor(code: ErrorCode, message: string, options: AgentwireErrorOptions = {}, fields: object = {}) {
    const { cause, retryable = false, delivery } = options;
    super(`${code}: ${message}`, cause === undefined ? undefined : { cause });
    this.retryable = retryable;
    for (const [name, value] of Object.entries({ delivery, ...fields })) {
      if (value !== undefined) Reflect.set(this, name, value);
    }
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** The caller passed something that cannot work. Thrown from the call, before anything is sent. */
export class InvalidInputError extends AgentwireError {
  override readonly name = "InvalidInputError";
  declare readonly code: "invalid-input" | "already-consumed";
  /** What to do instead. */
  declare readonly hint: string;

  constructor(
    message: string,
    hint: string,
    options: AgentwireErrorOptions & { readonly code?: "invalid-input" | "already-consumed" } = {},
  ) {
    const { code = "invalid-input" } = options;
    super(code, `${message} ${hint}`, options, { code, hint });
  }
}

/** The runtime, the protocol or the server cannot do what was asked. Thrown from the call. */
export class UnsupportedError extends AgentwireError {
  override readonly name = "UnsupportedError";
  readonly code = "unsupported";
  /** What to do instead. */
  declare readonly hint: string;

  constructor(message: string, hint: string) {
    super("unsupported", `${message} ${hint}`, {}, { hint });
  }
}

/** No WebSocket could be opened, or no answer had over HTTP. `status` is the HTTP status of a refused upgrade, where the runtime tells it (browsers never do). */
export class ConnectError extends AgentwireError {
  override readonly name = "ConnectError";
  readonly code = "connect-failed";
  declare readonly status?: number;

  constructor(
    message: string,
    options: AgentwireErrorOptions & { readonly status?: number | undefined } = {},
  ) {
    super("connect-failed", message, { retryable: true, ...options }, { status: options.status });
  }
}

/** The socket did not open within `connectTimeout`, or the server did not greet within it. */
export class ConnectTimeoutError extends AgentwireError {
  override readonly name = "ConnectTimeoutError";
  readonly code = "connect-timeout";
  /** The limit, in ms. */
  declare readonly timeout: number;

  /** @param hint why that may be, and what to do about it */
  constructor(
    timeout: number,
    step: "accept the connection" | "greet" = "accept the connection",
    hint?: string,
  ) {
    const message = `the server did not ${step} within ${timeout} ms${hint === undefined ? "" : `; ${hint}`}`;
    super("connect-timeout", message, { retryable: true }, { timeout });
  }
}

/** Why a server and a client did not come to terms after the socket opened. */
export type HandshakeReason =
  | "nack"
  | "policy"
  | "duplicate"
  | "full"
  | "rejected"
  | "identity-mismatch"
  | "anonymous"
  | "timeout"
  | "refresh-failed"
  | "initializing"
  | "closed";

/** The socket opened, but the server refused the session, or never answered the handshake. */
export class HandshakeError extends AgentwireError {
  override readonly name: string = "HandshakeError";
  readonly code = "handshake-refused";
  declare readonly reason: HandshakeReason;
  /** Who the client wants to be, and who the server takes it for (null: for nobody), where that is the reason. */
  declare readonly expected?: string;
  declare readonly got?: string | null;
  /** The close code that ended the attempt, where one did. */
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

/** The connection ended while something waited on it. See `delivery` before trying again. */
export class ConnectionLostError extends AgentwireError {
  override readonly name = "ConnectionLostError";
  declare readonly code: "connection-lost" | "context-lost";
  declare readonly closeCode?: number;
  declare readonly closeReason?: string;
  /** Set where a tool call was announced in the turn: it may run, or have run, although nobody hears of it. */
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
    const fields = { code, closeCode, closeReason: closeReason || undefined, sideEffectsPossible };
    super(code, message, { retryable: true, ...options }, fields);
  }
}

/** The server refused one request. */
export class RequestError extends AgentwireError {
  override readonly name: string = "RequestError";
  readonly code = "request-refused";
  /** The id of the request on the wire, where the protocol has one. */
  declare readonly txid?: number;
  /** The server's own words; may repeat what was sent, so think before logging it. */
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

/** The server did not answer one request in time. */
export class RequestTimeoutError extends AgentwireError {
  override readonly name = "RequestTimeoutError";
  readonly code = "request-timeout";
  declare readonly txid?: number;
  /** The limit, in ms. */
  declare readonly timeout: number;

  constructor(
    message: string,
    options: AgentwireErrorOptions & { readonly timeout: number; readonly txid?: number | undefined },
  ) {
    const { txid, timeout } = options;
    super("request-timeout", message, { retryable: true, ...options }, { txid, timeout });
  }
}

/** What a {@link TurnError} is made of. */
export interface TurnErrorOptions extends AgentwireErrorOptions {
  readonly origin: string;
  readonly kind: string;
  readonly serverMessage: string;
  /** What to do, for the message alone. */
  readonly advice?: string | undefined;
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly balance?: number | undefined;
}

/** The server ended the turn with an error of its own. */
export class TurnError extends AgentwireError {
  override readonly name: string = "TurnError";
  readonly code = "turn-failed";
  /** Where the failure showed: the protocol's word for the channel, such as `action` or `stream`. */
  declare readonly origin: string;
  /** The protocol's own name of the failure. */
  declare readonly kind: string;
  /** The server's own words, unchanged but for credentials. */
  declare readonly serverMessage: string;
  /** An HTTP status from upstream, where one was given. */
  declare readonly status?: number;
  /** How long the server asks to wait, in ms. */
  declare readonly retryAfter?: number;
  /** The account's balance, where the server told it. */
  declare readonly balance?: number;

  constructor(options: TurnErrorOptions, fields: object = {}) {
    const { origin, kind, serverMessage, advice, status, retryAfter, balance } = options;
    const own = { origin, kind, serverMessage, status, retryAfter, balance };
    const words = advice === undefined ? serverMessage : `${serverMessage.replace(/\.$/, "")}; ${advice}`;
    super("turn-failed", words, options, { ...own, ...fields });
  }
}

/** The caller ended the turn: `cancel()`, leaving the loop, or a signal (its reason is the `cause`). */
export class TurnCancelledError extends AgentwireError {
  override readonly name = "TurnCancelledError";
  readonly code = "turn-cancelled";
  declare readonly by: "user" | "signal";

  constructor(by: "user" | "signal", options: AgentwireErrorOptions = {}) {
    const message = by === "user" ? "the turn was cancelled" : "the turn's signal was aborted";
    super("turn-cancelled", message, options, { by });
  }
}

/** The turn took too long: `idle` without a frame of it, or `total` from start to end. */
export class TurnTimeoutError extends AgentwireError {
  override readonly name = "TurnTimeoutError";
  readonly code = "turn-timeout";
  declare readonly kind: "idle" | "total";
  /** The limit, in ms. */
  declare readonly timeout: number;

  /** `advice` says which option to raise, where it is not that of these names. */
  constructor(
    kind: "idle" | "total",
    timeout: number,
    { advice, retryable = true }: { readonly advice?: string; readonly retryable?: boolean } = {},
  ) {
    const what = kind === "idle" ? "nothing arrived for the turn" : "the turn did not end";
    const option = kind === "idle" ? "idleTimeout" : "timeout";
    const how = advice ?? `raise \`${option}\`, or set it to 0 to wait without end`;
    const message = `${what} within ${timeout} ms; ${how}`;
    super("turn-timeout", message, { retryable, delivery: "unknown" }, { kind, timeout });
  }
}

/** The loop was too slow: more than `maxBufferedBytes` waited to be read. Only the iteration ends; `result` goes on. */
export class BufferOverflowError extends AgentwireError {
  override readonly name = "BufferOverflowError";
  readonly code = "buffer-overflow";
  declare readonly bytes: number;
  declare readonly limit: number;

  constructor(bytes: number, limit: number) {
    const advice = "read faster, raise `maxBufferedBytes`, or use `result`";
    const message = `${bytes} bytes waited to be read, over the limit of ${limit}; ${advice}`;
    super("buffer-overflow", message, {}, { bytes, limit });
  }
}

/** Too much waits to be sent. */
export class QueueFullError extends AgentwireError {
  override readonly name = "QueueFullError";
  readonly code = "queue-full";
  /** Bytes, or turns where the number of turns is the limit. */
  declare readonly bytes: number;
  declare readonly limit: number;

  constructor(what: "bytes" | "turns", amount: number, limit: number) {
    const advice = "wait for earlier turns to settle";
    const message = `${amount} ${what} would wait to be sent, over the limit of ${limit}; ${advice}`;
    super("queue-full", message, { retryable: true, delivery: "not-sent" }, { bytes: amount, limit });
  }
}

/** One frame is larger than the other side takes. */
export class PayloadTooLargeError extends AgentwireError {
  override readonly name = "PayloadTooLargeError";
  readonly code = "payload-too-large";
  declare readonly bytes: number;
  /** What may be sent, where that is known. */
  declare readonly limit?: number;

  constructor(message: string, size: { readonly bytes: number; readonly limit?: number }) {
    super("payload-too-large", message, {}, { ...size });
  }
}

/** The client was closed, by the caller or for good after a failure (its `cause`). */
export class ClosedError extends AgentwireError {
  override readonly name = "ClosedError";
  readonly code = "closed";

  constructor(message: string, options: AgentwireErrorOptions = {}) {
    super("closed", message, options);
  }
}

/** What was thrown, as text; not everything that can be thrown can also be shown. */
export function said(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something that cannot be shown as text";
  }
}

/** An error's message without the code that leads it, to go into another error's. */
export function withoutCode(error: AgentwireError): string {
  return error.message.slice(error.code.length + 2);
}

/** A copy, for a failure that several turns share: each gets its own `partial`, `delivery` and `input`. */
export function copyError<E extends AgentwireError>(error: E): E {
  const copy = Object.create(Object.getPrototypeOf(error));
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error));
  // In some engines the stack is an accessor that answers only on the original.
  return Object.defineProperty(copy, "stack", { value: error.stack, writable: true, configurable: true });
}

/** Which class carries which code. */
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

export type ErrorCode = keyof ErrorByCode;

/** Any error of this library: `code` tells which. */
export type AnyAgentwireError = ErrorByCode[ErrorCode];

/** For the types that users see: every class here, and every one that extends it, carries one of the codes. */
export function asAny(error: AgentwireError): AnyAgentwireError {
  return error as AnyAgentwireError;
}

/**
 * Whether `error` comes from this library, and, when `code` is given, whether it is that error.
 * Works across several installed copies of the package, where `instanceof` does not.
 */
export function isAgentwireError<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is ErrorByCode[Code];
export function isAgentwireError(error: unknown): error is AnyAgentwireError;
export function isAgentwireError(error: unknown, code?: ErrorCode): boolean {
  if (typeof error !== "object" || error === null || !(BRAND in error)) return false;
  return code === undefined || (error as { code?: unknown }).code === code;
}

/** The same for code that tells an error from something else; `AgentwireError` as a type covers errors of any code. */
export function isOurs(value: unknown): value is AgentwireError {
  return isAgentwireError(value);
}
