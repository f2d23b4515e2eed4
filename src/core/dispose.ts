// The key for `await using`, also in runtimes without one.

/** The runtime's own key, or the key that TypeScript's helpers use. */
export const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol.for("Symbol.asyncDispose") as typeof Symbol.asyncDispose);
