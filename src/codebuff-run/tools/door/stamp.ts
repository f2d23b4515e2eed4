// The version stamp of a file, to detect changes.
import type { BigIntStats } from "node:fs";

/** The version of a file. */
export interface Stamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** Permission bits. */
  readonly mode: number;
}

const PERMISSIONS = 0o777n;

export function stampOf({ dev, ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): Stamp {
  return { dev, ino, size, mtimeNs, ctimeNs, mode: Number(mode & PERMISSIONS) };
}

/**
 * Whether two stamps show the same version; `undefined`: no file. `ctimeNs` also detects changed modes, names and reset
 * times.
 */
export function sameFile(a: Stamp | undefined, b: Stamp | undefined): boolean {
  if (!a || !b) return a === b;
  return (
    a.dev === b.dev &&
    a.ino === b.ino &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs
  );
}
