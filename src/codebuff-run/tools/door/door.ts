// `Door`: through it, all tools access files below the root.
import { type BigIntStats, constants, type Dirent, fstatSync, rmdirSync, unlinkSync } from "node:fs";
import { type FileHandle, open, opendir } from "node:fs/promises";
import { checkTarget, writeWhole } from "./file-write.ts";
import type { Status } from "./filter.ts";
import { Lookup, type LookupSetup, type PathSpot } from "./lookup.ts";
import type { Paths, Use } from "./paths.ts";
import { codeOf, Refusal, refuse } from "./refusal.ts";
import { type Stamp, stampOf } from "./stamp.ts";
import type { FolderHandle } from "./walker.ts";

/** `O_NONBLOCK`: opening a pipe without a writer must not block. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Bytes per read. */
const PIECE = 65_536;
/** Folder entries per read. */
const ENTRIES = 256;

/** Writes do not follow a link at the end. */
const WRITE = { use: "write", follow: false, kind: "file" } as const;

export interface FileRead {
  readonly bytes: Uint8Array;
  readonly stamp: Stamp;
}

export interface DoorEntry {
  readonly name: string;
  /** `other`: a device, a pipe or a socket. */
  readonly kind: "file" | "folder" | "link" | "other";
}

/** An open folder. A program that starts in it stays in this folder, even if the path is swapped. */
export interface OpenFolder {
  /** `cwd` for a new process. Valid until `close()`. */
  readonly cwd: string;
  readonly path: string;
  close(): Promise<void>;
}

interface DoorSetup extends LookupSetup {
  readonly paths: Paths;
}

/** Access to files below a root. Checks each path. Paths are relative; a `Refusal` has no absolute path. */
export class Door {
  /** The real path of the root. Must not appear in results or errors. */
  readonly root: string;
  readonly #setup: DoorSetup;
  readonly #lookup: Lookup;

  constructor(setup: DoorSetup) {
    this.root = setup.root;
    this.#setup = setup;
    this.#lookup = new Lookup(setup);
  }

  /** Normalises a path without disk access. @throws Refusal `outside`, `invalid` */
  resolve(path: unknown, use: Use): string {
    return this.#setup.paths.resolve(path, use);
  }

  /**
   * Whether tools may use a path. Checks the caller's filter, secret files, `.git` and ignore files. `allow-example`: a
   * template of a secret file. All other methods refuse `blocked` paths, but `look` and `readFolder` apply only the
   * caller's filter.
   */
  async status(path: string, kind: "file" | "folder"): Promise<Status> {
    const asked = this.resolve(path, "read");
    if (asked === "") return "allow";
    try {
      return await this.#lookup.at(asked, { use: "read", follow: true, kind }, async ({ status }) => status);
    } catch (error) {
      if (error instanceof Refusal) return "blocked";
      throw error;
    }
  }

  /** The entry at a path, without following a link; `undefined` if there is none. */
  async look(path: string): Promise<(DoorEntry & { readonly size: bigint }) | undefined> {
    const asked = this.resolve(path, "read");
    if (asked === "") return { name: "", kind: "folder", size: 0n };
    try {
      const wish = { use: "names", follow: false, kind: "file" } as const;
      return await this.#lookup.at(
        asked,
        wish,
        async ({ name, stats }) => stats && { name, kind: kindOf(stats), size: stats.size },
      );
    } catch (error) {
      if (error instanceof Refusal && (error.reason === "missing" || error.reason === "not-a-folder"))
        return undefined;
      throw error;
    }
  }

  /**
   * Follows links inside the root. Reads hard links, because their other names are unknown.
   * @throws Refusal also `blocked`, `missing`, `not-a-file`, `not-a-folder`, `too-large`, `failed`
   */
  async readFile(path: string, { maxBytes }: { readonly maxBytes: number }): Promise<FileRead> {
    const asked = this.resolve(path, "read");
    return this.#lookup.at(asked, { use: "read", follow: true, kind: "file" }, async (spot) => {
      if (spot.stats === undefined) throw refuse("missing", asked, "does not exist");
      if (!spot.stats.isFile()) throw refuse("not-a-file", asked, "is not a regular file");
      const handle = await open(`${spot.place.at}/${spot.name}`, READ);
      try {
        const stats = fstatSync(handle.fd, { bigint: true });
        if (!stats.isFile()) throw refuse("not-a-file", asked, "is not a regular file");
        spot.place.confirm(spot.name, stats);
        if (stats.size > maxBytes) throw tooLarge(asked, maxBytes, stats.size);
        const bytes = await readAll(handle, maxBytes);
        if (bytes === undefined) throw tooLarge(asked, maxBytes, BigInt(maxBytes) + 1n);
        return { bytes, stamp: stampOf(stats) };
      } finally {
        await handle.close();
      }
    });
  }

  /** Sorted by name. Does not follow links. @throws Refusal also `missing`, `not-a-folder`, `too-large` */
  async readFolder(
    path: string,
    { maxEntries }: { readonly maxEntries: number },
  ): Promise<readonly DoorEntry[]> {
    const asked = this.resolve(path, "read");
    return this.#lookup.in(asked, "names", async (place) => {
      const entries: DoorEntry[] = [];
      for await (const entry of await opendir(place.at, { bufferSize: ENTRIES })) {
        if (entries.length >= maxEntries)
          throw refuse("too-large", asked, `has more than ${maxEntries} entries`);
        entries.push({ name: entry.name, kind: kindOf(entry) });
      }
      place.confirm();
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  /**
   * Checks whether a write or delete would be refused. Errors of the file system can still follow.
   * @param target as for `writeFile`; without it, as for `removeFile` without `replaces`
   * @throws Refusal as `writeFile`
   */
  async checkWrite(path: string, target?: { readonly replaces: Stamp | undefined }): Promise<void> {
    const asked = this.resolve(path, "write");
    await this.#lookup.at(asked, WRITE, async ({ place, name, missing }) => {
      if (target && missing.length === 0) checkTarget({ place, name, path: asked, ...target });
    });
  }

  /**
   * Writes a file atomically. Creates missing folders.
   * @param replaces the version that was read; `undefined`: there must be no file
   * @throws Refusal also `blocked`, `protected`, `changed`, `exists`, `link`, `not-a-file`, `failed`
   */
  async writeFile(
    path: string,
    bytes: Uint8Array,
    { replaces, mode }: { readonly replaces: Stamp | undefined; readonly mode?: number | undefined },
  ): Promise<Stamp> {
    const asked = this.resolve(path, "write");
    return this.#lookup.at(asked, WRITE, async (spot) => {
      if (spot.missing.length === 0)
        return writeWhole({ place: spot.place, name: spot.name, path: asked, replaces }, bytes, mode);
      if (replaces !== undefined) throw refuse("changed", asked, "was deleted since it was read");
      using place = makeFolders(spot);
      return await writeWhole({ place, name: spot.name, path: asked, replaces }, bytes, mode);
    });
  }

  /**
   * Deletes a file or a link, never the link's target.
   * @param replaces the version that was read; without it, deletes any file or link
   * @throws Refusal as `writeFile`, and `missing`
   */
  async removeFile(
    path: string,
    { replaces }: { readonly replaces?: Stamp | undefined } = {},
  ): Promise<void> {
    const asked = this.resolve(path, "write");
    await this.#lookup.at(asked, WRITE, async ({ place, name, stats }) => {
      if (stats === undefined) throw refuse(replaces ? "changed" : "missing", asked, "does not exist");
      place.confirm();
      if (replaces) checkTarget({ place, name, path: asked, replaces });
      else if (!stats.isFile() && !stats.isSymbolicLink())
        throw refuse("not-a-file", asked, "is not a regular file");
      unlinkSync(`${place.at}/${name}`);
    });
  }

  /** Deletes an empty folder. Returns false if it is not empty. */
  async removeFolder(path: string): Promise<boolean> {
    const asked = this.resolve(path, "write");
    return this.#lookup.at(
      asked,
      { use: "write", follow: false, kind: "folder" },
      async ({ place, name, stats }) => {
        if (stats === undefined) throw refuse("missing", asked, "does not exist");
        if (!stats.isDirectory()) throw refuse("not-a-folder", asked, "is not a directory");
        place.confirm();
        try {
          rmdirSync(`${place.at}/${name}`);
          return true;
        } catch (error) {
          if (codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST") return false;
          throw error;
        }
      },
    );
  }

  /** @throws Refusal also `missing`, `not-a-folder` */
  async openFolder(path: string): Promise<OpenFolder> {
    const asked = this.resolve(path, "read");
    return this.#lookup.in(asked, "read", async (place) => {
      // The lookup closes its own handle.
      const kept = place.again();
      return { cwd: kept.at, path: kept.path, close: async () => kept[Symbol.dispose]() };
    });
  }

  async close(): Promise<void> {
    this.#setup.walker[Symbol.dispose]();
  }
}

function makeFolders({ place, missing }: PathSpot): FolderHandle {
  let current = place;
  for (const name of missing) {
    const above = current;
    try {
      current = above.enter(name);
    } finally {
      if (above !== place) above[Symbol.dispose]();
    }
  }
  return current;
}

/** `undefined`: the file grew beyond the limit. */
async function readAll(handle: FileHandle, maxBytes: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(PIECE), 0, PIECE, null);
    length += bytesRead;
    if (length > maxBytes) return undefined;
    if (bytesRead === 0) return Buffer.concat(pieces, length);
    pieces.push(buffer.subarray(0, bytesRead));
  }
}

function tooLarge(path: string, maxBytes: number, size: bigint): Refusal {
  return refuse("too-large", path, `has more than ${maxBytes} bytes`, size);
}

function kindOf(entry: Dirent | BigIntStats): DoorEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
