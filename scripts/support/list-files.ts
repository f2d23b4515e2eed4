import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** The files under `folder` for which `wanted` holds, relative to it, with forward slashes, sorted. */
export async function listFiles(folder: string, wanted: (path: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter(wanted)
    .sort();
}
