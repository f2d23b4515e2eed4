import type { Stamp } from "../door/door.ts";

/** A file before or after a change; `undefined`: there was none. */
export interface Version {
  readonly bytes: Uint8Array;
  readonly stamp: Stamp;
  readonly mode: number;
}

/** What the tools of one run have written. */
export interface Changes {
  /** Notes one write or delete, after it was done. */
  note(path: string, before: Version | undefined, after: Version | undefined): void;
}
