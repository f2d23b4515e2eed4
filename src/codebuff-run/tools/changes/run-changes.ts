// What the tools of a run have seen and written: listed, and put back by undo.
import type { Door, FileRead, Stamp } from "../door/door.ts";
import type { PathLocks } from "../files/locks.ts";
import type { Changes } from "./changes.ts";
import { Restorer } from "./restorer.ts";
import { SeenFiles } from "./seen-files.ts";
import { type Change, changeOf, isSame, type Kept, type Segment } from "./segment.ts";

/** Bytes of old and new files that one run keeps for undo. Beyond them a change is listed, but cannot be reverted. */
export const MAX_KEPT = 64 * 1_048_576;

/** What became of an undo. */
export interface Reverted {
  /** Files that are as they were before the run. */
  readonly reverted: readonly string[];
  /** Files that are not touched, because they are not as the run left them, or cannot be put back. */
  readonly conflicts: readonly Conflict[];
}

export interface Conflict {
  readonly path: string;
  readonly reason: string;
}

/** What the tools of one run have seen and written: lists it, and puts back what was. */
export class RunChanges implements Changes {
  /** Of this run: another run's edit does not count as seen by this one. */
  readonly #own = new SeenFiles();
  /** Of all runs: an agent's history goes on from turn to turn. */
  readonly #ofFolder: SeenFiles;
  /** In the order of their last change. */
  readonly #segments = new Set<Segment>();
  /** For each file, what an edit in a row is added to. */
  readonly #last = new Map<string, Segment>();
  readonly #restorer: Restorer;
  readonly #locks: PathLocks;
  readonly #maxKept: number;
  /** Bytes. */
  #kept = 0;
  #undo: Promise<unknown> = Promise.resolve();

  /**
   * @param locks the locks of the tools: no edit runs while its file is put back
   * @param options `seen`: the one table of all runs below the root
   */
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

  /** Each file that the run has changed, the last one at the end. A file that others changed in between is listed more than once. */
  list(): readonly Change[] {
    return [...this.#segments].flatMap((segment) => changeOf(segment) ?? []);
  }

  /**
   * Puts back what was before the run, the newest change first. A file that is not as the run left it is a conflict, and stays; so do its
   * older changes. Removes folders that the run has made, if they are empty. What is put back is no change any more: a second call does the
   * rest, if it can.
   */
  revert(): Promise<Reverted> {
    const result = this.#undo.then(() => this.#revert());
    this.#undo = result.catch(() => {}); // told to the caller of `revert`
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
