// The versions of files that an agent saw last, to notice changes by others.
import { Recent } from "../../../core/recent.ts";
import { type Stamp, sameFile } from "../door/stamp.ts";

/** Remembered files. Older ones can be edited without the check for changes. */
const MAX_SEEN = 10_000;

export class SeenFiles {
  readonly #seen = new Recent<string, { readonly stamp: Stamp | undefined }>(MAX_SEEN);

  saw(path: string, stamp: Stamp | undefined): void {
    this.#seen.set(path, { stamp });
  }

  /** Whether a file has changed since it was seen. `undefined`: never seen. */
  isStale(path: string, stamp: Stamp | undefined): boolean | undefined {
    const seen = this.#seen.get(path);
    return seen && !sameFile(seen.stamp, stamp);
  }
}
