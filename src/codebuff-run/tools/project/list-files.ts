// Lists the usable files and folders whose paths fit what a user has typed, for a completion.
import { type FileList, MAX_LISTED_FILES } from "../../../core/turn/prompt-files.ts";
import type { Door } from "../door/door.ts";
import { joinPath } from "../door/paths.ts";
import { Refusal } from "../door/refusal.ts";
import { MAX_TREE } from "./tree.ts";

/** Entries of one folder. A larger folder is skipped. */
const MAX_ENTRIES = 250_000;

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
}

/**
 * First come the entries of the folder in `typed` whose names begin with the rest of it; then, from all folders, level by
 * level, those whose names begin with `typed`; then those whose paths contain it. Case does not matter. Looks at no more
 * than {@link MAX_TREE} entries.
 */
export async function listFiles(door: Door, typed: string, signal: AbortSignal): Promise<FileList> {
  const wanted = typed.replace(/^(?:\.\/)+/, "");
  const end = wanted.lastIndexOf("/") + 1;
  const [folder, begin] = [wanted.slice(0, end), wanted.slice(end).toLowerCase()];
  const here = (await usableIn(door, folder)).filter(({ name }) => name.toLowerCase().startsWith(begin));
  const found = new Set<string>();
  for (const entry of here) {
    signal.throwIfAborted();
    if (found.size > MAX_LISTED_FILES) break;
    if (await isUsable(door, entry)) found.add(shownPath(entry));
  }
  if (begin === "") return listOf(found, false);
  const { names, paths, isWhole } = await search(door, wanted.toLowerCase(), signal);
  return listOf(new Set([...found, ...names, ...paths]), !isWhole);
}

function listOf(found: ReadonlySet<string>, more: boolean): FileList {
  return { paths: [...found].slice(0, MAX_LISTED_FILES), more: more || found.size > MAX_LISTED_FILES };
}

/** The tree, level by level. A blocked folder is not entered. Only matches and folders are checked: a check takes longer than a name. */
async function search(door: Door, wanted: string, signal: AbortSignal) {
  const names: string[] = [];
  const paths: string[] = [];
  const queue: string[] = [""];
  let left = MAX_TREE;
  for (const folder of queue) {
    for (const entry of await entriesOf(door, folder)) {
      signal.throwIfAborted();
      if (left-- === 0 || names.length > MAX_LISTED_FILES) return { names, paths, isWhole: false };
      const { name, path, isFolder } = entry;
      const isNamed = name.toLowerCase().startsWith(wanted);
      const isMatch = isNamed || (paths.length <= MAX_LISTED_FILES && path.toLowerCase().includes(wanted));
      if ((!isMatch && !isFolder) || !(await isUsable(door, entry))) continue;
      if (isFolder) queue.push(path);
      if (isMatch) (isNamed ? names : paths).push(shownPath(entry));
    }
  }
  return { names, paths, isWhole: true };
}

/** The entries of a folder that a user has typed. */
async function usableIn(door: Door, folder: string): Promise<readonly Entry[]> {
  try {
    if ((await door.status(folder, "folder")) === "blocked") return [];
  } catch (error) {
    if (error instanceof Refusal) return []; // no path of this folder
    throw error;
  }
  return entriesOf(door, folder);
}

/** Sorted by name. Empty for a path that is no folder, or may not be used. */
async function entriesOf(door: Door, folder: string): Promise<readonly Entry[]> {
  try {
    const base = door.resolve(folder, "read");
    const entries = await door.readFolder(base, { maxEntries: MAX_ENTRIES });
    return entries.flatMap(({ name, kind }) =>
      kind === "file" || kind === "folder"
        ? [{ name, path: joinPath(base, name), isFolder: kind === "folder" }]
        : [],
    );
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

async function isUsable(door: Door, { path, isFolder }: Entry): Promise<boolean> {
  return (await door.status(path, isFolder ? "folder" : "file")) !== "blocked";
}

const shownPath = ({ path, isFolder }: Entry): string => (isFolder ? `${path}/` : path);
