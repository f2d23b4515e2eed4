import { writeSync } from "node:fs";

/** What the child tells its parent, one JSON text a line. */
export type Said =
  /** A string chunk, as the client's user got it. */
  | { readonly said: "chunk"; readonly chunk: string }
  /** An object chunk, or an error that the client made into one. */
  | { readonly said: "event"; readonly event: { readonly type: string; readonly [key: string]: unknown } }
  /** A run is over. */
  | { readonly said: "result"; readonly output: unknown; readonly sessionState: unknown }
  /** A promise was rejected, and nobody looked. */
  | { readonly said: "unhandled"; readonly message: string }
  /** Something wanted to leave this machine, and could not. */
  | { readonly said: "refused"; readonly host: string };

const STDOUT = 1;

/** Says it at once: what comes before an end by a signal counts too. */
export function say(said: Said): void {
  writeSync(STDOUT, `${JSON.stringify(said)}\n`);
}
