// Finds the ripgrep program: by option, in PATH, or in an optional package.
import { delimiter, isAbsolute } from "node:path";
import { findProgram } from "../../../process/program.ts";

export interface FindOptions {
  /** The program's path, used without a check. */
  readonly ripgrepPath?: string | undefined;
  /** Provides PATH. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Returns `undefined` without ripgrep. Ignores relative folders in PATH: an agent could write there. */
export async function findRipgrep({
  ripgrepPath,
  env = process.env,
}: FindOptions = {}): Promise<string | undefined> {
  if (ripgrepPath !== undefined) return ripgrepPath;
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return programIn("rg", folders) ?? (await inPackage());
}

function programIn(command: string, folders: readonly string[]): string | undefined {
  const found = findProgram(command, { PATH: folders.join(delimiter), PATHEXT: ".EXE" });
  return "code" in found ? undefined : found.command;
}

async function inPackage(): Promise<string | undefined> {
  try {
    return programIn((await import("@vscode/ripgrep")).rgPath, []);
  } catch {
    return undefined; // not installed, or not for this platform
  }
}
