// Finds ripgrep's program: an option, the `PATH`, or an optional package.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

export interface FindOptions {
  /** Where ripgrep is. It is used without a look. */
  readonly ripgrepPath?: string | undefined;
  /** The environment with the `PATH`. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * ripgrep's program: `ripgrepPath`, `rg` on the `PATH`, or of the optional package `@vscode/ripgrep`. `undefined`: there is none.
 *
 * Relative folders of the `PATH` are left out: they are below the folder of the project, where an agent may write an `rg` of its own.
 */
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
    return undefined; // not installed, or not for this system
  }
}
