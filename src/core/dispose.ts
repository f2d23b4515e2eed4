/** The key of `await using`; older runtimes have no such symbol, and then this is the one that TypeScript's helpers look for. */
export const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol.for("Symbol.asyncDispose") as typeof Symbol.asyncDispose);
