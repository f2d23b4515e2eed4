// The base class of every error of the library, with its code and what is known of the delivery.
import type { Cost, TurnToolCall, Usage } from "./values.ts";

/** `not-sent`: the input never left this machine. `unknown`: the server may have seen the input; a second try may repeat its work. */
export type Delivery = "not-sent" | "unknown";

/** The output of a turn until its early end. */
export interface TurnPartial {
  readonly text: string;
  readonly toolCalls?: readonly TurnToolCall[];
  /** Usage and cost so far, where the server reports them. */
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** The state from which a conversation can go on, as far as this turn knows. */
  readonly state?: unknown;
  /** The end of the turn as the server reported it after the client had stopped the turn. */
  readonly endedBy?: unknown;
}

/** Options of every error. */
export interface AgentwireErrorOptions {
  readonly cause?: unknown;
  readonly retryable?: boolean | undefined;
  readonly delivery?: Delivery | undefined;
}

/** The code of each kind of failure. */
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

/** Marks errors of this package. `instanceof` fails between two installed copies; the mark works. */
const BRAND = Symbol.for("agentwire.error");

/** Base of every error of the library. `code` is stable. The message is for people; `name`, and so `toString()`, shows the code. */
export abstract class AgentwireError extends Error {
  /** The name of the class: minifiers change `constructor.name`. */
  protected static readonly className: string = "AgentwireError";
  abstract readonly code: ErrorCode;
  /** Whether the same call can succeed later unchanged. Does not cover side effects: see `delivery`. */
  readonly retryable: boolean;
  /** The turn's output so far, where a turn was under way. */
  declare partial?: TurnPartial;
  /** Set on errors that end a turn without an error message from the server. */
  declare delivery?: Delivery;
  /** The input of `prompt()`, if it was `not-sent`. Without its `authToken`: apps log errors. */
  declare input?: unknown;

  /** `fields`: the fields that the subclass declares. Undefined fields are left out. */
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
    (Error as CapturesStack).captureStackTrace?.(this, new.target); // a new stack: a stack begins with the name of the error
  }

  /** For `JSON.stringify`: the name, the message and the fields. Of a `cause` that is an error, its name and message. */
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

/** Copies an error that several turns share: each copy has its own `partial`, `delivery` and `input`. */
export function copyError<E extends AgentwireError>(error: E): E {
  const copy = Object.create(Object.getPrototypeOf(error));
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error));
  // In some engines `stack` is an accessor that works only on the original error.
  return Object.defineProperty(copy, "stack", { value: error.stack, writable: true, configurable: true });
}
