// What the file tools note of each file that they read or write, as an interface.
import type { FileRead, Stamp } from "../door/door.ts";

/** What the tools of one run have seen and written. Paths are relative to the root, without links. */
export interface Changes {
  /**
   * Notes one write or delete, after it was done. The agent knows the file as it is then.
   * @param before `"link"`: a link was deleted; `undefined`: there was no file
   * @param after `undefined`: the file was deleted
   * @param madeFolders folders that the write has made
   */
  note(
    path: string,
    before: FileRead | "link" | undefined,
    after: FileRead | undefined,
    madeFolders?: readonly string[],
  ): void;
  /** Notes a file as the agent has seen it; `undefined`: the agent has seen that there is none. */
  saw(path: string, stamp: Stamp | undefined): void;
  /** Whether a file is other than the agent has last seen it, in this run or else in any. `false` for a file that was not seen. */
  isStale(path: string, stamp: Stamp | undefined): boolean;
}
