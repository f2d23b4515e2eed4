import { findProgram } from "./find-program.ts";

/** Names that distributions give it. */
const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** The program that `AGENTWIRE_CHROMIUM` names, or the first Chromium on the PATH. */
export function findChromium(): string | undefined {
  return findProgram("AGENTWIRE_CHROMIUM", NAMES);
}
