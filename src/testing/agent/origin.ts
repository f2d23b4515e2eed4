// Notes on mock turns which client they come from, for universal streams.

/** The key under which turns and conversations keep where they come from: the same as that of the clients. */
export const ORIGIN: unique symbol = Symbol.for("agentwire.origin");
