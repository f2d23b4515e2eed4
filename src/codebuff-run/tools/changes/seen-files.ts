// Files as the agent last saw them, to notice changes by others.
import { Recent } from "../../../core/recent.ts";
import type { Stamp } from "../door/door.ts";
import { sameFile } from "../door/stamp.ts";

/** Files that are remembered as seen. An older one may then be edited without the check whether it has changed. */
const MAX_SEEN = 10_000;

/** Files as an agent has seen them last, by path. */
export class SeenFiles {
  readonly #seen = new Recent<string, { readonly stamp: Stamp | undefined }>(MAX_SEEN);

  saw(path: string, stamp: Stamp | undefined): void {
    this.#seen.set(path, { stamp });
  }

  /** Whether a file is other than it was seen. `undefined`: it was not seen. */
  isStale(path: string, stamp: Stamp | undefined): boolean | undefined {
    const seen = this.#seen.get(path);
    return seen && !isSameStamp(seen.stamp, stamp);
  }
}

/** Whether two looks at a path found the same file; `undefined`: there was none. */
export function isSameStamp(a: Stamp | undefined, b: Stamp | undefined): boolean {
  return a && b ? sameFile(a, b) : a === b;
}
