// The version stamp of a file, to detect changes.
import type { BigIntStats } from "node:fs";
import type { Stamp } from "./door.ts";

const PERMISSIONS = 0o777n;

export function stampOf({ dev, ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): Stamp {
  return { dev, ino, size, mtimeNs, ctimeNs, mode: Number(mode & PERMISSIONS) };
}

/** Whether two stamps show the same version. `ctimeNs` also detects changed modes, names and reset times. */
export function sameFile(a: Stamp, b: Stamp): boolean {
  return (
    a.dev === b.dev &&
    a.ino === b.ino &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs
  );
}
