// Finds the ripgrep program: by option, in PATH, or in an optional package.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

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
  return ripgrepPath ?? (await onPath(env)) ?? (await inPackage());
}

async function onPath(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  const path = env["PATH"] ?? env["Path"] ?? "";
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    if (isAbsolute(folder) && (await isProgram(file))) return file;
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

async function inPackage(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return (await isProgram(rgPath)) ? rgPath : undefined;
  } catch {
    return undefined; // not installed, or not for this platform
  }
}
