import { statSync } from "node:fs";

/** Whether there is a folder of this path, for this user. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // gone, behind a loop of links, or nobody's business
  }
}
