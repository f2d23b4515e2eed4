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

/** The user's own folder; undefined where the system knows none, or an empty one, which would be the folder of this process. */
export function homeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined; // the system does not know the user, as in a container with an id of its own
  }
}
