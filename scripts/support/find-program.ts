import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The program that the environment variable `variable` names, or the first of `names` on the PATH. */
export function findProgram(variable: string, names: readonly string[]): string | undefined {
  const named = process.env[variable];
  if (named) return named;
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
