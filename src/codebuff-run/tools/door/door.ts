// `Door`: the interface through which all tools access files below the root.
import type { Stamp } from "./stamp.ts";

export type Use = "read" | "write";

export type Status = "allow" | "blocked" | "allow-example";

export interface FileRead {
  readonly bytes: Uint8Array;
  readonly stamp: Stamp;
}

export interface Entry {
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

/** Access to files below a root. Checks each path. Paths are relative; a `Refusal` has no absolute path. */
export interface Door {
  /** The real path of the root. Must not appear in results or errors. */
  readonly root: string;
  /** Normalises a path without disk access. @throws Refusal `outside`, `invalid` */
  resolve(path: unknown, use: Use): string;
  /**
   * Whether tools may use a path. Checks the caller's filter, secret files, `.git` and ignore files. `allow-example`: a
   * template of a secret file. All other methods refuse `blocked` paths, but `look` and `readFolder` apply only the
   * caller's filter.
   */
  status(path: string, kind: "file" | "folder"): Promise<Status>;
  /** The entry at a path, without following a link; `undefined` if there is none. */
  look(path: string): Promise<(Entry & { readonly size: bigint }) | undefined>;
  /**
   * Follows links inside the root. Reads hard links, because their other names are unknown.
   * @throws Refusal also `blocked`, `missing`, `not-a-file`, `not-a-folder`, `too-large`, `failed`
   */
  readFile(path: string, limits: { readonly maxBytes: number }): Promise<FileRead>;
  /** Sorted by name. Does not follow links. @throws Refusal also `missing`, `not-a-folder`, `too-large` */
  readFolder(path: string, limits: { readonly maxEntries: number }): Promise<readonly Entry[]>;
  /**
   * Checks whether a write or delete would be refused. Errors of the file system can still follow.
   * @param target as for `writeFile`; without it, as for `removeFile` without `replaces`
   * @throws Refusal as `writeFile`
   */
  checkWrite(path: string, target?: { readonly replaces: Stamp | undefined }): Promise<void>;
  /**
   * Writes a file atomically. Creates missing folders.
   * @param replaces the version that was read; `undefined`: there must be no file
   * @throws Refusal also `blocked`, `protected`, `changed`, `exists`, `link`, `not-a-file`, `failed`
   */
  writeFile(
    path: string,
    bytes: Uint8Array,
    options: { readonly replaces: Stamp | undefined; readonly mode?: number | undefined },
  ): Promise<Stamp>;
  /**
   * Deletes a file or a link, never the link's target.
   * @param replaces the version that was read; without it, deletes any file or link
   * @throws Refusal as `writeFile`, and `missing`
   */
  removeFile(path: string, options?: { readonly replaces?: Stamp | undefined }): Promise<void>;
  /** Deletes an empty folder. Returns false if it is not empty. */
  removeFolder(path: string): Promise<boolean>;
  /** @throws Refusal also `missing`, `not-a-folder` */
  openFolder(path: string): Promise<OpenFolder>;
  close(): Promise<void>;
}
