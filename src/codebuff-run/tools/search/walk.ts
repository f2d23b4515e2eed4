// Lists the usable files below a folder, in ripgrep's order.
import type { Door, DoorEntry } from "../door/door.ts";
import { joinPath } from "../door/paths.ts";
import { Refusal } from "../door/refusal.ts";

/** Entries per folder, about 100 bytes each. Larger folders are skipped. */
const MAX_ENTRIES = 250_000;
/** Nesting of folders. Bounds the memory. */
const MAX_DEPTH = 200;

export interface WalkOptions {
  readonly door: Door;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Whether to skip blocked files. Not needed if the caller reads each file through the door. */
  readonly checksFiles: boolean;
  readonly select: (entries: readonly WalkEntry[]) => Promise<readonly WalkEntry[]>;
}

export interface WalkEntry {
  readonly name: string;
  /** Relative to the start folder. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Usable files in byte order, folders among files. Follows no links. Skips unreadable folders. */
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
  let entries: readonly DoorEntry[];
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

/** Compares by UTF-8 bytes, which equals code points. JavaScript's order differs above U+FFFF. */
function compareNames(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    if (a.charCodeAt(at) === b.charCodeAt(at)) continue;
    return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
  }
  return a.length - b.length;
}
