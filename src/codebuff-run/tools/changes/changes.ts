// The interface by which file tools report each file that they read or write.
import type { FileRead, Stamp } from "../door/door.ts";

/** The files that a run's tools have read and written. Paths are relative to the root, without links. */
export interface Changes {
  /**
   * Reports one finished write or delete. The agent then knows the new content.
   * @param before `"link"`: a link was deleted; `undefined`: there was no file
   * @param after `undefined`: the file was deleted
   * @param madeFolders folders that the write created
   */
  note(
    path: string,
    before: FileRead | "link" | undefined,
    after: FileRead | undefined,
    madeFolders?: readonly string[],
  ): void;
  /** Reports the version that the agent has seen; `undefined`: no file. */
  saw(path: string, stamp: Stamp | undefined): void;
  /** Whether a file has changed since the agent last saw it. `false` if the agent never saw it. */
  isStale(path: string, stamp: Stamp | undefined): boolean;
}
