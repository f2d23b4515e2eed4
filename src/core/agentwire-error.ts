import type { Cost, TurnToolCall, Usage } from "./values.ts";

/** `not-sent`: the input never left this machine. `unknown`: the server may have seen it, and trying again may do the work twice. */
export type Delivery = "not-sent" | "unknown";

/** What a turn had produced when it ended early. */
export interface TurnPartial {
  readonly text: string;
  readonly toolCalls?: readonly TurnToolCall[];
  /** Usage and cost so far, where the server tells. */
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** A state that a conversation can go on from, as far as this turn knows. */
  readonly state?: unknown;
  /** What the server said of the turn's end after the turn had been stopped here. */
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

/** Marks errors of this package, across copies of it: `instanceof` fails between two installed versions. */
const BRAND = Symbol.for("agentwire.error");

/** Base of every error of the library. `code` is stable. The message is for people; `name`, and so `toString()`, shows the code. */
export abstract class AgentwireError extends Error {
  /** The name of the class: minifiers change `constructor.name`. */
  protected static readonly className: string = "AgentwireError";
  abstract readonly code: ErrorCode;
  /** Whether the same call can succeed later unchanged. Says nothing of side effects: see `delivery`. */
  readonly retryable: boolean;
  /** What the turn had produced, where a turn was under way. */
  declare partial?: TurnPartial;
  /** Set on errors that end a turn without the server's own word. */
  declare delivery?: Delivery;
  /** The input of `prompt()`, where it was `not-sent`; without its `authToken`, since errors are logged. */
  declare input?: unknown;

  /** `fields` are those that a subclass declares; an undefined one is left out. */
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
    (Error as CapturesStack).captureStackTrace?.(this, new.target); // anew: a stack begins with the name
  }
}

/** V8 and some other engines. */
interface CapturesStack {
  readonly captureStackTrace?: (error: object, above: unknown) => void;
}

/** Whether `value` is an error of this library, or of another installed copy of it. */
export function isOurs(value: unknown): value is AgentwireError {
  return typeof value === "object" && value !== null && BRAND in value;
}

/** What was thrown, as text. */
export function said(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something that cannot be shown as text";
  }
}

/** A copy, for a failure that several turns share: each has its own `partial`, `delivery` and `input`. */
export function copyError<E extends AgentwireError>(error: E): E {
  const copy = Object.create(Object.getPrototypeOf(error));
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error));
  // In some engines the stack is an accessor that answers only on the original.
  return Object.defineProperty(copy, "stack", { value: error.stack, writable: true, configurable: true });
}
