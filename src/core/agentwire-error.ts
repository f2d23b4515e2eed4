// The base class of all errors: the code, and whether the input was delivered.
import type { Cost, TurnToolCall, Usage } from "./values.ts";

/**
 * `not-sent`: the agent never gets the input. `accepted`: a relay has the input, and will try it once. `unknown`: the
 * server may have the input already.
 */
export type Delivery = "not-sent" | "accepted" | "unknown";

/** The output of a turn that ended early. */
export interface TurnPartial {
  readonly text: string;
  readonly toolCalls?: readonly TurnToolCall[];
  /** Usage and cost so far, where the server reports them. */
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** The state from which a conversation can continue, if the turn knows one. */
  readonly state?: unknown;
  /** What the server reported as the end of the turn, after the client had stopped it. */
  readonly endedBy?: unknown;
}

/** Options of every error. */
export interface AgentwireErrorOptions {
  readonly cause?: unknown;
  readonly retryable?: boolean | undefined;
  readonly delivery?: Delivery | undefined;
}

export type ErrorCode =
  | "invalid-input"
  | "already-consumed"
  | "unsupported"
  | "connect-failed"
  | "connect-timeout"
  | "handshake-refused"
  | "connection-lost"
  | "context-lost"
  | "request-refused"
  | "request-timeout"
  | "turn-failed"
  | "turn-cancelled"
  | "turn-timeout"
  | "buffer-overflow"
  | "queue-full"
  | "payload-too-large"
  | "closed";

/** Marks errors of this package. `instanceof` fails between two installed copies, but the mark works. */
const BRAND = Symbol.for("agentwire.error");

/** The base class of all errors. `code` is stable. `name`, and so `toString()`, contains the code. */
export abstract class AgentwireError extends Error {
  /** The name of the class. Minifiers change `constructor.name`. */
  protected static readonly className: string = "AgentwireError";
  abstract readonly code: ErrorCode;
  /** Whether the same call may succeed later. Says nothing about side effects: see `delivery`. */
  readonly retryable: boolean;
  /** The output of the turn so far, if a turn was running. */
  declare partial?: TurnPartial;
  /** Set on errors that end a turn without an error message from the server. */
  declare delivery?: Delivery;
  /** The input of `prompt()`, if it was `not-sent`. Without its `authToken`, for logs. */
  declare input?: unknown;

  /** `fields`: the subclass's own fields. Undefined fields are left out. */
  constructor(code: ErrorCode, message: string, options: AgentwireErrorOptions = {}, fields: object = {}) {
    const { cause, retryable = false, delivery } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.retryable = retryable;
    for (const [field, value] of Object.entries({ code, delivery, ...fields })) {
      if (value !== undefined) Reflect.set(this, field, value);
    }
    const name = `${new.target.className} [${code}]`;
    Object.defineProperty(this, "name", { value: name, writable: true, configurable: true });
    Object.defineProperty(this, BRAND, { value: true });
    (Error as CapturesStack).captureStackTrace?.(this, new.target); // a new stack, which starts with the new name
  }

  /** For `JSON.stringify`: name, message and fields. Of a `cause` that is an error, name and message. */
  toJSON(): object {
    const { name, message, cause } = this;
    const json = Object.assign({ name, message }, this);
    return cause instanceof Error ? { ...json, cause: { name: cause.name, message: cause.message } } : json;
  }
}

/** V8 and some other engines have this function. */
interface CapturesStack {
  readonly captureStackTrace?: (error: object, above: unknown) => void;
}

/** Whether `value` is an error of this library, or of another installed copy of it. */
export function isOurs(value: unknown): value is AgentwireError {
  return typeof value === "object" && value !== null && BRAND in value;
}

/** Converts a thrown value to text. */
export function said(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something that cannot be shown as text";
  }
}

/** Copies an error for several turns. Each copy has its own `partial`, `delivery` and `input`. */
export function copyError<E extends AgentwireError>(error: E): E {
  const copy = Object.create(Object.getPrototypeOf(error));
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error));
  // In some engines `stack` is an accessor that works only on the original error.
  return Object.defineProperty(copy, "stack", { value: error.stack, writable: true, configurable: true });
}
