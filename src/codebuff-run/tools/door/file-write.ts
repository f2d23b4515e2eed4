// Writes a file atomically: to a temporary file in the same folder, then a rename.
import { randomBytes } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { codeOf, refuse } from "./refusal.ts";
import { type Stamp, sameFile, stampOf } from "./stamp.ts";
import type { FolderHandle } from "./walker.ts";

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const PERMISSIONS = 0o777;
/** Errors of `link` where hard links do not exist or are forbidden. */
const NO_LINKS = new Set(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
/** Errors of `fsync` where it does not exist. */
const NO_SYNC = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

export interface WriteTarget {
  readonly place: FolderHandle;
  readonly name: string;
  readonly path: string;
  /** `undefined`: there must be no file. */
  readonly replaces: Stamp | undefined;
}

export function statAt(place: FolderHandle, name: string): BigIntStats | undefined {
  return lstatSync(`${place.at}/${name}`, { bigint: true, throwIfNoEntry: false });
}

/** Writes a temporary file, then renames it. Hard links keep the old file. A race of some µs remains. */
export async function writeWhole(
  target: WriteTarget,
  bytes: Uint8Array,
  mode: number | undefined,
): Promise<Stamp> {
  const { place, name } = target;
  const before = checkTarget(target);
  const temporary = `.agentwire-${randomBytes(12).toString("hex")}.tmp`;
  const from = `${place.at}/${temporary}`;
  const handle = await open(from, NEW, before || mode !== undefined ? 0o600 : 0o666);
  try {
    await handle.writeFile(bytes);
    if (before) await keepOwner(handle, before);
    await setMode(handle, mode ?? (before && Number(before.mode)));
    await sync(handle);
    place.confirm(temporary, fstatSync(handle.fd, { bigint: true }));
    if (target.replaces === undefined) moveNew(target, from);
    else {
      checkTarget(target);
      renameSync(from, `${place.at}/${name}`);
    }
    return stampOf(fstatSync(handle.fd, { bigint: true }));
  } catch (error) {
    removeTemporary(from);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Stats of the expected target. @throws Refusal `exists`, `changed`, `link`, `not-a-file` */
export function checkTarget({ place, name, path, replaces }: WriteTarget): BigIntStats | undefined {
  const stats = statAt(place, name);
  if (stats === undefined) {
    if (replaces === undefined) return undefined;
    throw refuse("changed", path, "was deleted since it was read");
  }
  if (stats.isSymbolicLink()) throw refuse("link", path, "is a link. Links are not written through");
  if (!stats.isFile()) throw refuse("not-a-file", path, "is not a regular file");
  if (replaces === undefined) throw refuse("exists", path, "exists already");
  if (!sameFile(stampOf(stats), replaces))
    throw refuse("changed", path, "has changed since it was read. Read it again");
  return stats;
}

/** Moves a file to a free name. `rename` would replace a file that another process just created. */
function moveNew(target: WriteTarget, from: string): void {
  const to = `${target.place.at}/${target.name}`;
  try {
    linkSync(from, to);
  } catch (error) {
    if (codeOf(error) === "EEXIST") checkTarget(target);
    if (!NO_LINKS.has(codeOf(error) ?? "")) throw error;
    moveOverEmpty(from, to);
    return;
  }
  unlinkSync(from);
}

/** Reserves the name with an empty file, which is visible for some µs. */
function moveOverEmpty(from: string, to: string): void {
  closeSync(openSync(to, NEW));
  try {
    renameSync(from, to);
  } catch (error) {
    unlinkSync(to);
    throw error;
  }
}

/** Keeps the owner when root edits a user's file. Without the right to do so, the owner changes. */
async function keepOwner(handle: FileHandle, before: BigIntStats): Promise<void> {
  const { uid, gid } = await handle.stat();
  if (uid === Number(before.uid) && gid === Number(before.gid)) return;
  try {
    await handle.chown(Number(before.uid), Number(before.gid));
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
  }
}

async function setMode(handle: FileHandle, mode: number | undefined): Promise<void> {
  if (mode === undefined) return;
  const now = await handle.stat();
  // File systems without modes refuse `chmod`.
  if (((now.mode ^ mode) & PERMISSIONS) !== 0) await handle.chmod(mode & PERMISSIONS);
}

async function sync(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    if (!NO_SYNC.has(codeOf(error) ?? "")) throw error;
  }
}

function removeTemporary(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
