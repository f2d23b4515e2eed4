// Walks paths on Linux by open handles, so that no other process can swap a folder.
import { closeSync, constants, mkdirSync, openSync, readlinkSync } from "node:fs";
import { joinPath, outside, type Paths } from "./paths.ts";
import { codeOf, refuse } from "./refusal.ts";
import {
  closed,
  type FolderHandle,
  leadsNowhere,
  MAX_LINKS,
  namesOf,
  type OnFolder,
  type Walker,
  type Way,
} from "./walker.ts";

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;

interface Turn {
  readonly target: readonly string[];
  readonly rest: readonly string[];
}

/** Opens each name from the open folder before it, so no other process can redirect the walk. */
export class LinuxWalker implements Walker {
  readonly #root: HeldFolder;

  /** @param root a real path */
  constructor(root: string, paths: Paths) {
    this.#root = new HeldFolder(openSync(root, FOLDER | constants.O_NOFOLLOW), "", paths);
  }

  walk(path: string, onFolder?: OnFolder): Way {
    let wanted = namesOf(path);
    // The number of leading names from links. No folder is created for them: writes do not go through links.
    let linked = 0;
    for (let links = 0; links <= MAX_LINKS; links++) {
      const way = this.#walkStraight(wanted, onFolder);
      if ("place" in way) {
        if (wanted.length - way.missing.length >= linked) return way;
        way.place[Symbol.dispose]();
        throw leadsNowhere(path);
      }
      linked = way.target.length + Math.max(0, linked - (wanted.length - way.rest.length));
      wanted = [...way.target, ...way.rest];
    }
    throw refuse("link", path, "has too many links");
  }

  [Symbol.dispose](): void {
    this.#root[Symbol.dispose]();
  }

  #walkStraight(names: readonly string[], onFolder: OnFolder | undefined): Way | Turn {
    let place = this.#root.again();
    try {
      onFolder?.(place.at, place.path);
      for (const [index, name] of names.entries()) {
        const next = place.step(name);
        if (next === "missing") return { place, missing: names.slice(index) };
        if (next === "link") {
          const target = namesOf(place.target(name));
          place[Symbol.dispose]();
          return { target, rest: names.slice(index + 1) };
        }
        place[Symbol.dispose]();
        place = next;
        onFolder?.(place.at, place.path);
      }
      return { place, missing: [] };
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
  }
}

class HeldFolder implements FolderHandle {
  readonly path: string;
  readonly #paths: Paths;
  /** `undefined` after the close: the number may be reused. */
  #fd: number | undefined;

  constructor(fd: number, path: string, paths: Paths) {
    this.#fd = fd;
    this.path = path;
    this.#paths = paths;
  }

  get at(): string {
    if (this.#fd === undefined) throw closed(this.path);
    return `/proc/self/fd/${this.#fd}`;
  }

  again(): HeldFolder {
    return new HeldFolder(openSync(this.at, FOLDER), this.path, this.#paths);
  }

  step(name: string): HeldFolder | "missing" | "link" {
    const entry = `${this.at}/${name}`;
    try {
      return this.#open(name);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") return "missing";
      if (code !== "ELOOP" && code !== "ENOTDIR") throw error;
      if (isLink(entry)) return "link";
      throw error;
    }
  }

  enter(name: string): HeldFolder {
    try {
      mkdirSync(`${this.at}/${name}`);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    return this.#open(name);
  }

  target(name: string): string {
    const text = readlinkSync(`${this.at}/${name}`);
    // `path` has no links, so `..` resolves like in the system.
    const target = this.#paths.inside(text, this.path);
    if (target === undefined) throw outside(joinPath(this.path, name));
    return target;
  }

  confirm(): void {
    // An open folder cannot be swapped.
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(name: string): HeldFolder {
    const fd = openSync(`${this.at}/${name}`, FOLDER | constants.O_NOFOLLOW);
    return new HeldFolder(fd, joinPath(this.path, name), this.#paths);
  }
}

function isLink(entry: string): boolean {
  try {
    readlinkSync(entry);
    return true;
  } catch (error) {
    if (codeOf(error) === "EINVAL" || codeOf(error) === "ENOENT") return false;
    throw error;
  }
}
