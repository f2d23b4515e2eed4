import {
  type AgentwireError,
  ClosedError,
  ConnectionLostError,
  InvalidInputError,
  isAgentwireError,
  PayloadTooLargeError,
  TurnError,
  type TurnErrorOptions,
} from "../core/errors.ts";

/** What the server says went wrong with a turn. What it says in words that are not known here is `failed`. */
export type CassFailureKind =
  | "missing-ids"
  | "user-not-found"
  | "not-available"
  | "initializing"
  | "unknown-type"
  | "empty-message"
  | "unreadable-response"
  | "failed";

/** The server answered a turn with an `error`, or with what cannot be read. The connection lives on. */
export class CassTurnError extends TurnError {
  protected static override readonly className: string = "CassTurnError";
  declare readonly kind: CassFailureKind;

  constructor(options: TurnErrorOptions & { readonly kind: CassFailureKind }) {
    super(options);
  }
}

const KINDS: readonly (readonly [RegExp, CassFailureKind])[] = [
  [/^Missing user_id/, "missing-ids"],
  [/^User not found/, "user-not-found"],
  [/^Agent client not available/, "not-available"],
  [/still initializing/i, "initializing"],
  [/^Unknown message type/, "unknown-type"],
  [/^Empty message/, "empty-message"],
];

/** What an `error` means for the turn that it answers. */
export function turnError(serverMessage: string): CassTurnError {
  const kind = KINDS.find(([words]) => words.test(serverMessage))?.[1] ?? "failed";
  const retryable = kind === "initializing" || kind === "not-available";
  return new CassTurnError({ origin: "error", kind, serverMessage, retryable });
}

/** The answer has come, and nobody can read it: it is not asked for again, since the server has stored it. */
export function unreadableResponse(problem: string): CassTurnError {
  return new CassTurnError({ origin: "response", kind: "unreadable-response", serverMessage: problem });
}

/** A picture that was to be sent threw when it was read. */
export function unreadableImage(cause: unknown): AgentwireError {
  if (isAgentwireError(cause)) return cause;
  const hint = "Pass its bytes, or a Blob that can be read.";
  return new InvalidInputError("the image cannot be read.", hint, { cause });
}

/** Closed over the size of a frame. */
const TOO_LARGE = 1009;

/** Whether the server has closed over the size of a frame. */
export function isTooLarge(error: AgentwireError): boolean {
  return isAgentwireError(error, "connection-lost") && error.closeCode === TOO_LARGE;
}

/** Why a turn failed whose frame was that one. */
export function tooLargeTurn(bytes: number): PayloadTooLargeError {
  const message = `the server closed the connection over a prompt of ${bytes} bytes; send less`;
  return new PayloadTooLargeError(message, { bytes });
}

/** Why a turn failed whose connection ended. The server may have finished it all the same; `wasSearched`: nothing was found. */
export function lostTurn(error: AgentwireError, wasSearched: boolean): AgentwireError {
  const { closeCode, closeReason } = isAgentwireError(error, "connection-lost") ? error : {};
  const what = wasSearched
    ? "its answer was looked for and not found, and may still come: see `rest.getMessages()`"
    : "its answer may be stored: see the option `recover`";
  const message = `${error.message}, in the middle of the turn; ${what}`;
  return new ConnectionLostError(message, { delivery: "unknown", closeCode, closeReason, cause: error });
}

/** What waits is handed back: each connection ends with the first turn that it takes. */
export function serverDies(cause: AgentwireError): ConnectionLostError {
  const message = `${MAX_DEATHS} connections in a row ended in their first turn, so the others are not sent`;
  return new ConnectionLostError(message, { delivery: "not-sent", cause });
}

/** Connections that may end so before what waits is given back: a restart is one, and a user who was deleted ends them all. */
export const MAX_DEATHS = 3;

export function closedInTurn(): ClosedError {
  return new ClosedError("the client was closed while the server worked on the turn, which it will finish", {
    delivery: "unknown",
  });
}
