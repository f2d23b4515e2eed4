// The files below a folder in ripgrep's order, those that tools may use.
import type { Door, Entry } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";

/** Entries of one folder: more are data, and are skipped with the folder. Each costs about 100 bytes. */
const MAX_ENTRIES = 250_000;
/** Folders within folders, so that the walk stays within its memory. */
const MAX_DEPTH = 200;

export interface WalkOptions {
  readonly door: Door;
  /** Relative to the root, empty for the root itself. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Whether files that the door blocks are left out: not for a caller that reads each file through the door, which costs the same again. */
  readonly checksFiles: boolean;
  /** Which entries of one folder are told or entered. */
  readonly select: (entries: readonly WalkEntry[]) => Promise<readonly WalkEntry[]>;
}

export interface WalkEntry {
  readonly name: string;
  /** Relative to the folder where the walk begins. */
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * The files below a folder that tools may use, in ripgrep's order: by name, byte by byte, folders among files. Links are not followed. Holds only the
 * entries of the folders on the way to the file that it tells. A folder that cannot be read is skipped, as ripgrep does.
 */
export async function* walk(options: WalkOptions): AsyncGenerator<string, void, void> {
  const levels = [(await entriesOf(options, ""))[Symbol.iterator]()];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    options.signal.throwIfAborted();
    const { value: entry, done } = level.next();
    if (done) levels.pop();
    else if (!(await isAllowed(options, entry))) continue;
    else if (!entry.isFolder) yield entry.path;
    else if (levels.length < MAX_DEPTH)
      levels.push((await entriesOf(options, entry.path))[Symbol.iterator]());
  }
}

async function entriesOf({ door, folder, select }: WalkOptions, path: string): Promise<readonly WalkEntry[]> {
  let entries: readonly Entry[];
  try {
    entries = await door.readFolder(joinPath(folder, path), { maxEntries: MAX_ENTRIES });
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
  const found = entries
    .filter(({ kind }) => kind === "file" || kind === "folder")
    .map(({ name, kind }) => ({ name, path: joinPath(path, name), isFolder: kind === "folder" }))
    .sort((a, b) => compareNames(a.name, b.name));
  return found.length === 0 ? found : await select(found);
}

async function isAllowed(
  { door, folder, checksFiles }: WalkOptions,
  { path, isFolder }: WalkEntry,
): Promise<boolean> {
  if (!isFolder && !checksFiles) return true;
  return (await door.status(joinPath(folder, path), isFolder ? "folder" : "file")) !== "blocked";
}

export function joinPath(folder: string, name: string): string {
  return folder === "" ? name : name === "" ? folder : `${folder}/${name}`;
}

/** The order of the bytes in UTF-8, which is the order of code points. JavaScript's own differs above U+FFFF. */
function compareNames(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    if (a.charCodeAt(at) === b.charCodeAt(at)) continue;
    return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
  }
  return a.length - b.length;
}
