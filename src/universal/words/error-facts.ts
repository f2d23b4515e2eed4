import { type Delivery, isOurs } from "../../core/agentwire-error.ts";
import { isObject } from "../../core/checks.ts";
import { isChatStoreError } from "./store-error.ts";

/** The fields of an error that decide what a user would do. */
export interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly delivery?: Delivery | undefined;
  readonly hasActed: boolean;
  /** Of a refused handshake. */
  readonly reason?: string | undefined;
  readonly kind?: string | undefined;
  readonly by?: string | undefined;
  readonly hint?: string | undefined;
  readonly serverMessage?: string | undefined;
  /** The server's code-like text (Codebuff). */
  readonly serverError?: string | undefined;
  readonly status?: number | undefined;
  /** ms */
  readonly retryAfter?: number | undefined;
  readonly balance?: number | undefined;
  /** Of a closed client. */
  readonly cause?: ErrorFacts | undefined;
}

/** Causes that are followed. A closed client names one; a chain of more is no error of this library. */
const MAX_CAUSES = 3;

/** Reads an error of this library, or of another copy of it. A foreign or hostile value gives `undefined`. */
export function factsOf(error: unknown): ErrorFacts | undefined {
  return attempt(() => read(error, MAX_CAUSES));
}

/** The fields of an error of a store. `message`: the words of what the store threw, otherwise of the error itself. */
export function storeFactsOf(error: unknown) {
  return attempt(() => {
    if (!isChatStoreError(error)) return undefined;
    const { operation, reason, cause, message } = error;
    const words = typeof cause === "object" && cause !== null ? Reflect.get(cause, "message") : cause;
    return { operation, reason: textOf(reason), message: textOf(words) ?? textOf(message) };
  });
}

function attempt<T>(reading: () => T | undefined): T | undefined {
  try {
    return reading();
  } catch {
    return undefined; // a getter or a proxy that throws: nothing can be known of this value
  }
}

function read(error: unknown, causes: number): ErrorFacts | undefined {
  if (!isOurs(error)) return undefined;
  const field = (name: string): unknown => Reflect.get(error, name);
  const code = textOf(field("code"));
  if (code === undefined) return undefined;
  return {
    code,
    message: textOf(field("message")) ?? "",
    retryable: field("retryable") === true,
    delivery: deliveryOf(field("delivery")),
    hasActed: field("sideEffectsPossible") === true || hasCalls(field("partial")),
    reason: textOf(field("reason")),
    kind: textOf(field("kind")),
    by: textOf(field("by")),
    hint: textOf(field("hint")),
    serverMessage: textOf(field("serverMessage")),
    serverError: textOf(field("serverError")),
    status: numberOf(field("status")),
    retryAfter: numberOf(field("retryAfter")),
    balance: numberOf(field("balance")),
    cause: causes > 0 ? read(field("cause"), causes - 1) : undefined,
  };
}

/** Whether the turn had announced a tool call that was not denied. */
function hasCalls(partial: unknown): boolean {
  if (!isObject(partial) || !Array.isArray(partial["toolCalls"])) return false;
  return partial["toolCalls"].some((call: unknown) => isObject(call) && call["state"] !== "denied");
}

export function deliveryOf(value: unknown): Delivery | undefined {
  return value === "not-sent" || value === "unknown" ? value : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
