// Whether a call finds the same file as its preview.
import { isSameStamp } from "../changes/seen-files.ts";
import type { Stamp } from "../door/door.ts";

export type Shown =
  | { readonly kind: "file"; readonly path: string; readonly stamp: Stamp }
  | { readonly kind: "missing" | "link"; readonly path: string }
  /** The path was refused, or the agent did not know the file's version. */
  | { readonly kind: "refused" };

export function shownOf(path: string, stamp: Stamp | undefined): Shown {
  return stamp ? { kind: "file", path, stamp } : { kind: "missing", path };
}

/** Whether an edit finds what its preview found. A refusal never matches. */
export function isAsShown(shown: Shown, now: Shown): boolean {
  switch (shown.kind) {
    case "refused":
      return false;
    case "file":
      return now.kind === "file" && now.path === shown.path && isSameStamp(now.stamp, shown.stamp);
    case "missing":
    case "link":
      return now.kind === shown.kind && now.path === shown.path;
  }
}
