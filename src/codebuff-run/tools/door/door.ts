// What tools may do with paths below the root, as an interface. Every tool opens files through it.

/** What a tool wants to do with a path. */
export type Use = "read" | "write";

export type Status = "allow" | "blocked" | "allow-example";

/** A file as it was: a write says which one it replaces. Compare with `sameFile` of `stamp.ts`. */
export interface Stamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** Permission bits. */
  readonly mode: number;
}

/** A file as it was read. */
export interface FileRead {
  readonly bytes: Uint8Array;
  readonly stamp: Stamp;
}

export interface Entry {
  readonly name: string;
  /** `other`: a device, a pipe or a socket. */
  readonly kind: "file" | "folder" | "link" | "other";
}

/** An open folder: the program that starts in it cannot be led elsewhere. */
export interface OpenFolder {
  /** For `cwd` of a new process, until `close()`. */
  readonly cwd: string;
  /** Relative to the root; empty for the root itself. */
  readonly path: string;
  close(): Promise<void>;
}

/**
 * The one way from a tool to the files below a root. Each method checks its path itself. Paths in and out are relative to the root, with `/`
 * between names, and empty for the root. A method that refuses throws a `Refusal`, whose text never has an absolute path.
 */
export interface Door {
  /** The real path of the root. Never in a result or an error. */
  readonly root: string;
  /** The path without `.` and `..`. Looks at the text alone. @throws Refusal `outside`, `invalid` */
  resolve(path: unknown, use: Use): string;
  /**
   * Whether tools may use a path: the caller's filter, files of secrets (`.env`), the inside of `.git`, ignore files of each folder above.
   * `allow-example`: a template of a file of secrets. A path that the door cannot reach is `blocked`. Every other method refuses `blocked` by
   * itself. `look` and `readFolder` use names alone: they refuse only what the caller's filter blocks.
   */
  status(path: string, kind: "file" | "folder"): Promise<Status>;
  /** What is at a path; `undefined`: nothing. A link at its end is not followed. */
  look(path: string): Promise<(Entry & { readonly size: bigint }) | undefined>;
  /**
   * Follows links that stay inside. A hard link is read: its other names cannot be told apart.
   * @throws Refusal also `blocked`, `missing`, `not-a-file`, `not-a-folder`, `too-large`, `failed`
   */
  readFile(path: string, limits: { readonly maxBytes: number }): Promise<FileRead>;
  /** In the order of names. Links are listed, and not followed. @throws Refusal also `missing`, `not-a-folder`, `too-large` */
  readFolder(path: string, limits: { readonly maxEntries: number }): Promise<readonly Entry[]>;
  /**
   * Refuses what a write or a delete would refuse, but for what only the system can refuse. Nothing is written.
   * @param target as for `writeFile`; without it, as for `removeFile` without `replaces`
   * @throws Refusal as `writeFile`
   */
  checkWrite(path: string, target?: { readonly replaces: Stamp | undefined }): Promise<void>;
  /**
   * Writes a whole file at once: readers see the old one or the new one. Missing folders are made.
   * @param replaces the file as it was read; `undefined`: there must be none
   * @throws Refusal also `blocked`, `protected`, `changed`, `exists`, `link`, `not-a-file`, `failed`
   */
  writeFile(
    path: string,
    bytes: Uint8Array,
    options: { readonly replaces: Stamp | undefined; readonly mode?: number | undefined },
  ): Promise<Stamp>;
  /**
   * Deletes a file, or a link and never what it leads to.
   * @param replaces the file as it was read; without it, whatever file or link is there
   * @throws Refusal as `writeFile`, and `missing`
   */
  removeFile(path: string, options?: { readonly replaces?: Stamp | undefined }): Promise<void>;
  /** Deletes a folder that is empty. Returns whether it was. */
  removeFolder(path: string): Promise<boolean>;
  /** @throws Refusal also `missing`, `not-a-folder` */
  openFolder(path: string): Promise<OpenFolder>;
  close(): Promise<void>;
}
