// Where a path really leads, so that two names of one file wait for each other.
import type { Door } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";

/** Where a path leads. */
export interface Location {
  /** Relative to the root. No folder of it is a link, so that one file has one path. */
  readonly path: string;
  /** Folders of it that do not exist, outermost first. */
  readonly missing: readonly string[];
}

/** Finds the folder of a path. A path that is refused stays as it is: the door will say so when the path is used. */
export async function locate(door: Door, path: string): Promise<Location> {
  const names = path.split("/");
  for (let depth = names.length - 1; depth > 0; depth--) {
    const folder = await realPath(door, names.slice(0, depth).join("/"));
    if (folder === "refused") return { path, missing: [] };
    if (folder !== undefined) return below(folder, names.slice(depth));
  }
  return below("", names);
}

function below(folder: string, names: readonly string[]): Location {
  const paths = names.map((_, index) => [folder, ...names.slice(0, index + 1)].filter(Boolean).join("/"));
  return { path: paths.at(-1) ?? folder, missing: paths.slice(0, -1) };
}

/** `undefined`: there is no such folder. */
async function realPath(door: Door, path: string): Promise<string | "refused" | undefined> {
  try {
    const folder = await door.openFolder(path);
    await folder.close();
    return folder.path;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.reason === "missing" ? undefined : "refused";
  }
}
