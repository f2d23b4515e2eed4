// The files that a run's tools have read and changed: lists the changes, and undoes them.
import type { Door, FileRead, Stamp } from "../door/door.ts";
import type { PathLocks } from "../files/locks.ts";
import type { Changes } from "./changes.ts";
import { Restorer } from "./restorer.ts";
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

export interface Conflict {
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
  readonly #restorer: Restorer;
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
    this.#restorer = new Restorer(door);
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
    this.#restorer.noteFolders(madeFolders);
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
    const conflict = await this.#restorer.restore(segment);
    if (conflict === undefined) {
      this.#segments.delete(segment);
      if (this.#last.get(segment.path) === segment) this.#last.delete(segment.path);
      this.#release(segment.before === "link" ? undefined : segment.before);
      this.#release(segment.after);
    }
    return conflict;
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
