// The errors that turns of the mock agent end with.
import type {
  AnyAgentwireError,
  ClosedError,
  ConnectError,
  ConnectionLostError,
  Delivery,
  InvalidInputError,
  TurnCancelledError,
  TurnError,
  TurnTimeoutError,
  UnsupportedError,
} from "../../core/errors.ts";
import { errorAsJson } from "../names.ts";

/** The mark by which `isAgentwireError` knows the errors of this package. */
const BRAND = Symbol.for("agentwire.error");

class MockError extends Error {
  toJSON(): object {
    return errorAsJson(this);
  }
}

/** An error like those of the clients. The mock shares no code with the clients, so `instanceof` fails and `isAgentwireError` works. */
function branded<Fields extends { readonly code: string }>(
  className: string,
  message: string,
  fields: Fields,
  cause?: unknown,
): MockError & Fields {
  const error = new MockError(message, cause === undefined ? undefined : { cause });
  Object.defineProperty(error, BRAND, { value: true });
  Object.defineProperty(error, "name", { value: `${className} [${fields.code}]`, configurable: true });
  return Object.assign(error, fields);
}

export function alreadyConsumed(message: string, hint: string): InvalidInputError {
  const fields = { code: "already-consumed" as const, retryable: false, hint };
  return branded("InvalidInputError", `${message} ${hint}`, fields);
}

export function unsupported(message: string, hint: string): UnsupportedError {
  const fields = { code: "unsupported" as const, retryable: false, hint };
  return branded("UnsupportedError", `${message} ${hint}`, fields);
}

export function connectFailed(message: string, cause?: unknown): ConnectError {
  return branded("ConnectError", message, { code: "connect-failed" as const, retryable: true }, cause);
}

export function lost(
  message: string,
  code: "connection-lost" | "context-lost",
  delivery: Delivery = "unknown",
): ConnectionLostError {
  return branded("ConnectionLostError", message, { code, retryable: true, delivery });
}

/** The fields of a failure that ends a turn. */
export interface MockFailure {
  /** The name of the failure, such as `overloaded`. @default "error" */
  readonly kind?: string;
  /** @default false */
  readonly retryable?: boolean;
  /** An HTTP status. */
  readonly status?: number;
  /** The wait that the backend asks for, in ms. */
  readonly retryAfter?: number;
  /** The balance of the account. */
  readonly balance?: number;
}

export function turnFailed(message: string, failure: MockFailure = {}, cause?: unknown): TurnError {
  const { kind = "error", retryable = false, ...others } = failure;
  const fields = { code: "turn-failed" as const, retryable, origin: "script", kind, serverMessage: message };
  return branded("TurnError", message, { ...fields, ...others }, cause);
}

export function turnCancelled(by: "user" | "signal", cause: unknown): TurnCancelledError {
  const message = by === "user" ? "the turn was cancelled" : "the turn's signal was aborted";
  const fields = { code: "turn-cancelled" as const, retryable: false, by, delivery: "unknown" as const };
  return branded("TurnCancelledError", message, fields, cause);
}

export function turnTimedOut(kind: "idle" | "total", timeout: number): TurnTimeoutError {
  const what = kind === "idle" ? "nothing arrived for the turn" : "the turn did not end";
  const fields = {
    code: "turn-timeout" as const,
    retryable: true,
    delivery: "unknown" as const,
    kind,
    timeout,
  };
  return branded("TurnTimeoutError", `${what} within ${timeout} ms`, fields);
}

/** `cause`: why the client gave up, if the caller did not close it. */
export function closed(delivery: Delivery, cause?: AnyAgentwireError): ClosedError {
  const message = cause ? `the client gave up: ${cause.message}` : "the client was closed";
  return branded("ClosedError", message, { code: "closed" as const, retryable: false, delivery }, cause);
}

/**
 * The same error for another turn: each turn has its own `partial` and `input`. A turn that was sent fails with the loss of its link, also
 * if the client gave up at a later attempt to connect.
 */
export function again(error: AnyAgentwireError, delivery: Delivery): AnyAgentwireError {
  switch (error.code) {
    case "connection-lost":
    case "context-lost":
      return lost(error.message, error.code, delivery);
    case "connect-failed":
      if (delivery === "not-sent")
        return Object.assign(connectFailed(error.message, error.cause), { delivery });
      return Object.assign(lost(error.message, "connection-lost", delivery), { cause: error });
    default:
      return Object.assign(lost(error.message, "connection-lost", delivery), { cause: error });
  }
}
