// The error of a chat's store.

/** Marks errors of stores. `instanceof` fails between two installed copies; the mark works. */
const BRAND = Symbol.for("agentwire.store-error");

/**
 * A store could not load, append or list. The conversation continues, and a later call may work. `cause` is the
 * system's error. Not an `AgentwireError`: those codes are about backends.
 */
export class ChatStoreError extends Error {
  readonly code = "store-failed";
  readonly operation: "load" | "append" | "list";
  /** The chat, if the operation is about one. */
  declare readonly id?: string;
  /** The system's code (`ENOSPC`), or why a file is refused: `link`, `not-a-file`, `foreign-owner`. */
  declare readonly reason?: string;
  /** No later call can work, for example because another program now writes this chat. The chat closes itself. */
  declare readonly fatal?: true;

  constructor(
    message: string,
    options: {
      readonly operation: "load" | "append" | "list";
      readonly id?: string | undefined;
      readonly reason?: string | undefined;
      readonly fatal?: true | undefined;
      readonly cause?: unknown;
    },
  ) {
    const { operation, id, reason, fatal, cause } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.operation = operation;
    if (id !== undefined) this.id = id;
    if (reason !== undefined) this.reason = reason;
    if (fatal) this.fatal = fatal;
    Object.defineProperty(this, "name", { value: `ChatStoreError [${this.code}]`, configurable: true });
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** For `JSON.stringify`: the name, the message and the fields. */
  toJSON(): object {
    const { name, message } = this;
    return Object.assign({ name, message }, this);
  }
}

/** Whether an error is a store's. Works across several installed copies of the package. */
export function isChatStoreError(error: unknown): error is ChatStoreError {
  return typeof error === "object" && error !== null && BRAND in error;
}
