// Whether a path is a folder, and whether two paths are the same folder.
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // missing, a loop of links, or no permission
  }
}

export function isSameFolder(one: string, other: string): boolean {
  return real(one) === real(other);
}

/** The path without links. */
export function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // it does not exist
  }
}
