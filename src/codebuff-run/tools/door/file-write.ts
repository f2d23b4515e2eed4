// Writes a file atomically: a new file beside it, then a rename.
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
import type { Stamp } from "./door.ts";
import { shown } from "./paths.ts";
import { Refusal } from "./refusal.ts";
import { sameFile, stampOf } from "./stamp.ts";
import { codeOf } from "./system-error.ts";
import type { Place } from "./walker.ts";

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const PERMISSIONS = 0o777;
/** What `link` answers on a file system without hard links, or where they are forbidden. */
const NO_LINKS = new Set(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
/** What `fsync` answers on a file system that has none. */
const NO_SYNC = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

export interface WriteTarget {
  readonly place: Place;
  readonly name: string;
  /** For messages. */
  readonly path: string;
  /** `undefined`: there must be no file. */
  readonly replaces: Stamp | undefined;
}

export function statAt(place: Place, name: string): BigIntStats | undefined {
  return lstatSync(`${place.at}/${name}`, { bigint: true, throwIfNoEntry: false });
}

/**
 * Writes a file beside the target, and moves it there. Another name of the old file (a hard link) keeps the old content. A change that
 * another process makes between the last look and the move, some µs, is lost.
 */
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

/** What is at the target, if it is what the writer expects. @throws Refusal `exists`, `changed`, `link`, `not-a-file` */
export function checkTarget({ place, name, path, replaces }: WriteTarget): BigIntStats | undefined {
  const stats = statAt(place, name);
  if (stats === undefined) {
    if (replaces === undefined) return undefined;
    throw new Refusal("changed", path, `Path ${shown(path)} was deleted since it was read.`);
  }
  if (stats.isSymbolicLink())
    throw new Refusal("link", path, `Path ${shown(path)} is a link. Links are not written through.`);
  if (!stats.isFile()) throw new Refusal("not-a-file", path, `Path ${shown(path)} is not a regular file.`);
  if (replaces === undefined) throw new Refusal("exists", path, `Path ${shown(path)} exists already.`);
  if (!sameFile(stampOf(stats), replaces))
    throw new Refusal("changed", path, `Path ${shown(path)} has changed since it was read. Read it again.`);
  return stats;
}

/** Moves a file to a name that must be free: `rename` would replace what another process has just made. */
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

/** An empty file takes the name first. Readers may see it for some µs. */
function moveOverEmpty(from: string, to: string): void {
  closeSync(openSync(to, NEW));
  try {
    renameSync(from, to);
  } catch (error) {
    unlinkSync(to);
    throw error;
  }
}

/** Root edits files of users. Others may not give files away: their file then has a new owner, as with most editors. */
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
