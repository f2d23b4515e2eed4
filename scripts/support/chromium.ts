import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Names that distributions give it. */
const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** The program that `AGENTWIRE_CHROMIUM` names, or the first Chromium on the PATH. */
export function findChromium(): string | undefined {
  const { AGENTWIRE_CHROMIUM: named, PATH = "" } = process.env;
  if (named) return named;
  const folders = PATH.split(delimiter).filter((folder) => folder !== "");
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
