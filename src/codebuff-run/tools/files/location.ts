// A file before its edit: its real location, so that two names of one file share a lock, and its content.
import type { Door, FileRead } from "../door/door.ts";
import { joinPath } from "../door/paths.ts";
import { Refusal } from "../door/refusal.ts";

export interface Location {
  /** Relative to the root, without links in its folders: one path per file. */
  readonly path: string;
  /** Its missing folders, outermost first. */
  readonly missing: readonly string[];
}

/** Resolves a path's folders. Returns a refused path unchanged: the door refuses it on use. */
export async function locatePath(door: Door, path: string): Promise<Location> {
  const names = path.split("/");
  for (let depth = names.length - 1; depth > 0; depth--) {
    const folder = await realPath(door, names.slice(0, depth).join("/"));
    if (folder === "refused") return { path, missing: [] };
    if (folder !== undefined) return below(folder, names.slice(depth));
  }
  return below("", names);
}

function below(folder: string, names: readonly string[]): Location {
  const paths = names.map((_, index) => joinPath(folder, ...names.slice(0, index + 1)));
  return { path: paths.at(-1) ?? folder, missing: paths.slice(0, -1) };
}

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

/** Reads a file; `undefined` if it does not exist. @throws Refusal for everything else */
export async function readExisting(
  door: Door,
  path: string,
  maxBytes: number,
): Promise<FileRead | undefined> {
  try {
    return await door.readFile(path, { maxBytes });
  } catch (error) {
    if (error instanceof Refusal && error.reason === "missing") return undefined;
    throw error;
  }
}
