// Restores one file for undo, and removes the folders that the run created.
import type { Door, FileRead } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import { MAX_EDITED } from "../files/edit.ts";
import { readExisting } from "../files/existing.ts";
import { locatePath } from "../files/location.ts";
import { isSame, type Kept, type Segment } from "./segment.ts";

export class Restorer {
  readonly #door: Door;
  readonly #made = new Set<string>();

  constructor(door: Door) {
    this.#door = door;
  }

  noteFolders(paths: readonly string[]): void {
    for (const path of paths) this.#made.add(path);
  }

  /** Restores a file. Returns the reason if it cannot. */
  async restore({ path, before, after }: Segment): Promise<string | undefined> {
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
        if (!isDone) await this.#write(path, now, before);
      } else if (!isSame(now, before)) return changeSince(now, after);
      if (before === undefined) await this.#removeFolders(path);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  }

  /** The door refuses if the file changed after the comparison. */
  async #write(path: string, now: FileRead | undefined, before: Kept | undefined): Promise<void> {
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
}

function changeSince(now: FileRead | undefined, after: Kept | undefined): string {
  if (!now) return "The file was deleted after the run had written it.";
  return after
    ? "The file has changed since the run wrote it."
    : "The run had deleted the file, but the file exists again.";
}
