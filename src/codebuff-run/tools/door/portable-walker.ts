// Walks paths by name, with checks, on systems without folder handles.
import { type BigIntStats, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { joinPath, outside, type Paths } from "./paths.ts";
import { codeOf, Refusal, refuse } from "./refusal.ts";
import {
  closed,
  type FolderHandle,
  leadsNowhere,
  namesOf,
  type OnFolder,
  type Walker,
  type Way,
} from "./walker.ts";

/** Checks real paths before and after use. A race with other local processes remains. */
export class PortableWalker implements Walker {
  readonly #root: string;
  readonly #paths: Paths;
  #isClosed = false;

  /** @param root a real path */
  constructor(root: string, paths: Paths) {
    this.#root = root;
    this.#paths = paths;
  }

  walk(path: string, onFolder?: OnFolder): Way {
    if (this.#isClosed) throw closed(path);
    const names = namesOf(path);
    for (let count = names.length; ; count--) {
      const real = realPath(join(this.#root, ...names.slice(0, count)));
      if (real === undefined && count > 0) continue;
      if (real === undefined) throw new Refusal("missing", path, "The project directory does not exist.");
      const place = this.#place(real, path);
      const next = names[count];
      if (next !== undefined && isLink(join(real, next))) throw leadsNowhere(path);
      this.#tell(place.path, onFolder);
      return { place, missing: names.slice(count) };
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
  }

  #place(real: string, path: string): NamedFolder {
    const inside = this.#paths.inside(real);
    if (inside === undefined) throw outside(path);
    if (!statSync(real).isDirectory()) throw refuse("not-a-folder", path, "goes through a file");
    return new NamedFolder(real, inside, this.#paths);
  }

  #tell(path: string, onFolder: OnFolder | undefined): void {
    const names = namesOf(path);
    for (let count = 0; count <= names.length; count++) {
      const above = names.slice(0, count);
      onFolder?.(join(this.#root, ...above), above.join("/"));
    }
  }
}

class NamedFolder implements FolderHandle {
  readonly at: string;
  readonly path: string;
  readonly #paths: Paths;

  constructor(at: string, path: string, paths: Paths) {
    this.at = at;
    this.path = path;
    this.#paths = paths;
  }

  again(): NamedFolder {
    return new NamedFolder(this.at, this.path, this.#paths);
  }

  enter(name: string): NamedFolder {
    const at = join(this.at, name);
    this.confirm();
    try {
      mkdirSync(at);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    const folder = new NamedFolder(at, joinPath(this.path, name), this.#paths);
    if (!lstatSync(at).isDirectory()) throw refuse("not-a-folder", folder.path, "is not a directory");
    folder.confirm();
    return folder;
  }

  target(name: string): string {
    const inside = this.#paths.inside(realpathSync.native(join(this.at, name)));
    if (inside === undefined) throw outside(joinPath(this.path, name));
    return inside;
  }

  confirm(name?: string, stats?: BigIntStats): void {
    const now = name === undefined ? undefined : lstatSync(join(this.at, name), { bigint: true });
    const isSame = stats === undefined || (now?.dev === stats.dev && now.ino === stats.ino);
    if (isSame && realpathSync.native(this.at) === this.at) return;
    const path = joinPath(this.path, name ?? "");
    throw refuse("changed", path, "was moved while it was used. Try again");
  }

  [Symbol.dispose](): void {
    // No handle to close.
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** `undefined`: no entry, or a link without target. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
