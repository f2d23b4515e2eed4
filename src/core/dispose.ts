// The key for `await using`, also in runtimes that lack it.

/** The key for `await using`: the runtime's, otherwise the key of TypeScript's helpers. */
export const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol.for("Symbol.asyncDispose") as typeof Symbol.asyncDispose);
