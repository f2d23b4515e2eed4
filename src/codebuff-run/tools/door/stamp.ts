// Whether a file is still as it was when it was read.
import type { BigIntStats } from "node:fs";
import type { Stamp } from "./door.ts";

const PERMISSIONS = 0o777n;

export function stampOf({ dev, ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): Stamp {
  return { dev, ino, size, mtimeNs, ctimeNs, mode: Number(mode & PERMISSIONS) };
}

/** Whether a file is as it was. `ctimeNs` also tells a new mode, a new name and times that were set back. */
export function sameFile(a: Stamp, b: Stamp): boolean {
  return (
    a.dev === b.dev &&
    a.ino === b.ino &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs
  );
}
