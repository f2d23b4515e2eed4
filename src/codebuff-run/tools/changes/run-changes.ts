// The files that a run's tools have read and changed: lists the changes, and undoes them.
import type { Door, FileRead } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import type { Stamp } from "../door/stamp.ts";
import { MAX_EDITED } from "../files/edit.ts";
import { locatePath, readExisting } from "../files/location.ts";
import type { PathLocks } from "../files/locks.ts";
import type { Changes } from "../job.ts";
import { SeenFiles } from "./seen-files.ts";
import { type Change, changeOf, isSame, type Kept, type Segment } from "./segment.ts";

/** Bytes that one run keeps for undo. Larger changes are listed, but cannot be reverted. */
export const MAX_KEPT = 64 * 1_048_576;

/** The result of an undo. */
export interface Reverted {
  /** Files that are restored. */
  readonly reverted: readonly string[];
  /** Files that stay: they changed after the run, or cannot be restored. */
  readonly conflicts: readonly Conflict[];
}

interface Conflict {
  readonly path: string;
  readonly reason: string;
}

export class RunChanges implements Changes {
  /** Versions that this run saw. Another run's edit does not count as seen. */
  readonly #own = new SeenFiles();
  /** Versions that any run saw: an agent's history spans turns. */
  readonly #ofFolder: SeenFiles;
  readonly #segments = new Set<Segment>();
  /** The latest segment of each file. Consecutive edits extend it. */
  readonly #last = new Map<string, Segment>();
  /** Folders that the run created. */
  readonly #made = new Set<string>();
  readonly #door: Door;
  readonly #locks: PathLocks;
  readonly #maxKept: number;
  /** In bytes. */
  #kept = 0;
  #undo: Promise<unknown> = Promise.resolve();

  /** @param options `seen`: shared by all runs below the root */
  constructor(
    door: Door,
    locks: PathLocks,
    {
      maxKept = MAX_KEPT,
      seen = new SeenFiles(),
    }: { readonly maxKept?: number; readonly seen?: SeenFiles } = {},
  ) {
    this.#door = door;
    this.#locks = locks;
    this.#maxKept = maxKept;
    this.#ofFolder = seen;
  }

  saw(path: string, stamp: Stamp | undefined): void {
    this.#own.saw(path, stamp);
    this.#ofFolder.saw(path, stamp);
  }

  isStale(path: string, stamp: Stamp | undefined): boolean {
    return this.#own.isStale(path, stamp) ?? this.#ofFolder.isStale(path, stamp) ?? false;
  }

  note(
    path: string,
    before: FileRead | "link" | undefined,
    after: FileRead | undefined,
    madeFolders: readonly string[] = [],
  ): void {
    this.saw(path, after?.stamp);
    for (const folder of madeFolders) this.#made.add(folder);
    const last = this.#last.get(path);
    if (last && before !== "link" && isSame(last.after, before)) {
      this.#release(last.after);
      last.after = this.#keep(after);
      this.#segments.delete(last); // added again as the newest
      this.#segments.add(last);
    } else {
      const segment = {
        path,
        before: before === "link" ? before : this.#keep(before),
        after: this.#keep(after),
      };
      this.#segments.add(segment);
      this.#last.set(path, segment);
    }
  }

  /** The changed files, newest last. A file appears more than once if others changed it in between. */
  list(): readonly Change[] {
    return [...this.#segments].flatMap((segment) => changeOf(segment) ?? []);
  }

  /** Undoes the changes, newest first. Files that changed since stay, as conflicts; a second call retries. */
  revert(): Promise<Reverted> {
    const result = this.#undo.then(() => this.#revert());
    this.#undo = result.catch(() => {}); // `revert` reports the error
    return result;
  }

  async #revert(): Promise<Reverted> {
    const reverted = new Set<string>();
    const conflicts = new Map<string, string>();
    for (const segment of [...this.#segments].reverse()) {
      const { path } = segment;
      if (conflicts.has(path)) continue;
      const conflict = await this.#locks.hold(path, undefined, () => this.#restore(segment));
      if (conflict !== undefined) conflicts.set(path, conflict);
      else reverted.add(path);
    }
    return {
      reverted: [...reverted].filter((path) => !conflicts.has(path)),
      conflicts: [...conflicts].map(([path, reason]) => ({ path, reason })),
    };
  }

  async #restore(segment: Segment): Promise<string | undefined> {
    const conflict = await this.#conflictOf(segment);
    if (conflict === undefined) {
      this.#segments.delete(segment);
      if (this.#last.get(segment.path) === segment) this.#last.delete(segment.path);
      this.#release(segment.before === "link" ? undefined : segment.before);
      this.#release(segment.after);
    }
    return conflict;
  }

  /** Restores a file. Returns the reason if it cannot. */
  async #conflictOf({ path, before, after }: Segment): Promise<string | undefined> {
    if (before === "link") return "A link was deleted. Links cannot be restored.";
    try {
      // The run resolved all links in this path.
      if ((await locatePath(this.#door, path)).path !== path)
        return "A link has taken the place of a folder.";
      if ((await this.#door.look(path))?.kind === "link") return "A link has taken the file's place.";
      const now = await readExisting(this.#door, path, MAX_EDITED);
      if (isSame(now, after)) {
        const isDone = isSame(now, before) && now?.stamp.mode === before?.stamp.mode;
        if (!isDone && before && !before.bytes) return "The old file was too large to keep.";
        if (!isDone) await this.#writeBack(path, now, before);
      } else if (!isSame(now, before)) return changeSince(now, after);
      if (before === undefined) await this.#removeFolders(path);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  }

  /** The door refuses if the file changed after the comparison. */
  async #writeBack(path: string, now: FileRead | undefined, before: Kept | undefined): Promise<void> {
    const replaces = now?.stamp;
    if (before?.bytes) await this.#door.writeFile(path, before.bytes, { replaces, mode: before.stamp.mode });
    else if (now) await this.#door.removeFile(path, { replaces: now.stamp });
  }

  async #removeFolders(path: string): Promise<void> {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (!this.#made.has(folder)) return;
      if (await this.#isOccupied(folder)) return;
      this.#made.delete(folder);
    }
  }

  async #isOccupied(folder: string): Promise<boolean> {
    try {
      return !(await this.#door.removeFolder(folder));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.reason !== "missing"; // already removed
    }
  }

  #keep(version: FileRead | undefined): Kept | undefined {
    if (!version) return undefined;
    const { bytes } = version;
    const fits = this.#kept + bytes.length <= this.#maxKept;
    if (fits) this.#kept += bytes.length;
    return { ...version, bytes: fits ? bytes : undefined };
  }

  #release(version: Kept | undefined): void {
    this.#kept -= version?.bytes?.length ?? 0;
  }
}

function changeSince(now: FileRead | undefined, after: Kept | undefined): string {
  if (!now) return "The file was deleted after the run had written it.";
  return after
    ? "The file has changed since the run wrote it."
    : "The run had deleted the file, but the file exists again.";
}
