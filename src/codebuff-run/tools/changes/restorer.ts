// Puts one file back as it was, and removes the folders that a run made.
import type { Door, FileRead } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import { MAX_EDITED } from "../files/edit.ts";
import { readExisting } from "../files/existing.ts";
import { locate } from "../files/location.ts";
import { isSame, type Kept, type Segment } from "./segment.ts";

/** Puts back files as they were, and removes folders that a run has made. */
export class Restorer {
  readonly #door: Door;
  readonly #made = new Set<string>();

  constructor(door: Door) {
    this.#door = door;
  }

  noteFolders(paths: readonly string[]): void {
    for (const path of paths) this.#made.add(path);
  }

  /** Returns why a file cannot be put back; `undefined`: it is as it was. */
  async restore({ path, before, after }: Segment): Promise<string | undefined> {
    if (before === "link") return "A link was deleted. Links are not made again.";
    try {
      // The path of a segment had no links.
      if ((await locate(this.#door, path)).path !== path) return "A link has taken the place of a folder.";
      if ((await this.#door.look(path))?.kind === "link") return "A link has taken the file's place.";
      const now = await readExisting(this.#door, path, MAX_EDITED);
      if (isSame(now, after)) {
        const isDone = isSame(now, before) && now?.stamp.mode === before?.stamp.mode;
        if (!isDone && before && !before.bytes) return "The old file was too large to keep.";
        if (!isDone) await this.#write(path, now, before);
      } else if (!isSame(now, before)) return changeSince(now, after);
      if (before === undefined) await this.#removeFolders(path);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  }

  /** The door refuses if the file changes after it was compared. */
  async #write(path: string, now: FileRead | undefined, before: Kept | undefined): Promise<void> {
    const replaces = now?.stamp;
    if (before?.bytes) await this.#door.writeFile(path, before.bytes, { replaces, mode: before.stamp.mode });
    else if (now) await this.#door.removeFile(path, { replaces: now.stamp });
  }

  /** Those above a file that is gone, as far as they are empty. */
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
      return error.reason !== "missing"; // somebody has removed it already
    }
  }
}

function changeSince(now: FileRead | undefined, after: Kept | undefined): string {
  if (!now) return "The file was deleted after the run had written it.";
  return after
    ? "The file has changed since the run wrote it."
    : "There is a file again, which the run had deleted.";
}
