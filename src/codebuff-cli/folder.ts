import { statSync } from "node:fs";
import { homedir } from "node:os";

/** Whether there is a folder of this path, for this user. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // gone, behind a loop of links, or nobody's business
  }
}

/** The user's folder; `undefined` on a system without one, which is the same as one without files. */
export function homeFolder(): string | undefined {
  try {
    return homedir() || undefined; // an empty one would be this process's own folder
  } catch {
    return undefined;
  }
}

/** What is said of paths in this folder begins with `~`: it goes into reports, and the folder has the user's name. */
export function withoutHome(text: string, home: string | undefined): string {
  const folder = home?.replace(/[\\/]+$/, "") ?? "";
  if (folder === "") return text; // it would be in every path
  return text.split(folder).reduce((clean, rest) => `${clean}${/^[\w-]/.test(rest) ? folder : "~"}${rest}`);
}
