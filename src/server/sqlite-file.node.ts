// Opens the file of `sqliteLog`: for this user alone, never through a link, and never on a network share.
import {
  chmodSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  type Stats,
  statfsSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isCode, RefusedFile } from "../chat/store/own-file.node.ts";
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import { SCHEMA } from "./sqlite-schema.ts";

/** Marks the files of this library: "awlg". */
const APPLICATION = 0x61776c67;
/** Grows with each change of the tables. */
const VERSION = 1;
/** ms that a write waits for the write of another process. One write takes less than 1 ms. */
const BUSY_TIMEOUT = 5_000;
const OTHERS = 0o077;

/** Types of file systems, as `statfs` names them: AFS, Ceph, CIFS, NFS, SMB, SMB 2. */
const NETWORK: ReadonlySet<number> = new Set([
  0x5346414f, 0x00c36400, 0xff534d42, 0x6969, 0x517b, 0xfe534d42,
]);

/** An open database, and the path of its file, with all links of the folder followed. */
export interface OpenFile {
  readonly database: DatabaseSync;
  readonly path: string;
}

/** @throws UnsupportedError, InvalidInputError; the error of the system */
export function openLogFile(file: string): OpenFile {
  const Database = loadSqlite();
  const folder = dirname(resolve(file));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseNetwork(folder);
  const path = join(realpathSync(folder), basename(file));
  try {
    if (!checkFiles(path)) {
      createFile(Database, path);
      checkFiles(path);
    }
  } catch (cause) {
    if (!(cause instanceof RefusedFile)) throw cause;
    throw new InvalidInputError(`the log ${path} is refused (${cause.code}):`, `${cause.message}.`, {
      cause,
    });
  }
  const database = new Database(path);
  try {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
    checkIdentity(database, path);
    database.exec("pragma synchronous = normal");
  } catch (error) {
    database.close();
    throw error;
  }
  return { database, path };
}

function loadSqlite(): typeof DatabaseSync {
  const sqlite = process.getBuiltinModule?.("node:sqlite");
  if (sqlite) return sqlite.DatabaseSync;
  throw new UnsupportedError(
    "`sqliteLog` needs `node:sqlite`, which this runtime does not have.",
    "Use Node 22.13 or later, or another log.",
  );
}

function refuseNetwork(folder: string): void {
  const isShare = folder.startsWith("\\\\") || NETWORK.has(statfsSync(folder).type);
  if (!isShare) return;
  throw new InvalidInputError(
    `the folder ${folder} is a network share, where SQLite's locks and shared memory do not work.`,
    "Pass a file on a local disk. For several machines use `redisLog`.",
  );
}

/** Returns whether the file exists. @throws RefusedFile for one of its files */
function checkFiles(path: string): boolean {
  const isThere = checkFile(path);
  for (const suffix of ["-wal", "-shm"]) checkFile(`${path}${suffix}`);
  return isThere;
}

/**
 * Looks without opening: on POSIX, closing a descriptor drops all locks that SQLite holds on the file in this process.
 */
function checkFile(path: string): boolean {
  const stats = settled(path);
  if (!stats) return false;
  const move = "move it away, or pass another file";
  const isLink = stats.isSymbolicLink();
  if (!isLink && !stats.isFile())
    throw new RefusedFile("not-a-file", `${basename(path)} is no file: ${move}`);
  if (isLink || stats.nlink > 1)
    throw new RefusedFile("link", `${basename(path)} is a link, or has a second name: ${move}`);
  const user = process.geteuid?.();
  if (user === undefined) return true; // Windows: the folder gives the access rights
  if (stats.uid !== user)
    throw new RefusedFile(
      "foreign-owner",
      `${basename(path)} belongs to another user (uid ${stats.uid}): ${move}`,
    );
  if ((stats.mode & OTHERS) !== 0) chmodSync(path, stats.mode & 0o600);
  return true;
}

const LOOKS = 50;
/** ms between two looks. */
const PAUSE = 10;

/** Waits until a file that another process makes has lost its temporary name: less than 1 ms, unless the process died. */
function settled(path: string): Stats | undefined {
  for (let look = 1; ; look++) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.nlink === 1 || look === LOOKS) return stats;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  }
}

/**
 * Makes the file under another name and links it, so that other processes see it complete or not at all. If another
 * process was faster, its file stays.
 */
function createFile(Database: typeof DatabaseSync, path: string): void {
  const temporary = `${path}.${randomId("new")}`;
  closeSync(openSync(temporary, "wx", 0o600));
  try {
    const database = new Database(temporary);
    try {
      database.exec(
        `pragma journal_mode = wal; pragma application_id = ${APPLICATION}; pragma user_version = ${VERSION}; ${SCHEMA}`,
      );
    } finally {
      database.close();
    }
    linkSync(temporary, path);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${temporary}${suffix}`, { force: true });
  }
}

function checkIdentity(database: DatabaseSync, path: string): void {
  const { isOurs, version } = identityOf(database);
  if (isOurs && version === VERSION) return;
  throw new InvalidInputError(
    isOurs
      ? `the log ${path} was written by another version of this library.`
      : `the file ${path} is not a log of this library.`,
    "Pass another file, or one that does not exist yet.",
  );
}

/** SQLite's code for a file that is no database. */
const NO_DATABASE = 26;

function identityOf(database: DatabaseSync): { readonly isOurs: boolean; readonly version?: unknown } {
  const pragma = (name: string): unknown =>
    database
      .prepare(`pragma ${name}`)
      .all()
      .flatMap((row) => Object.values(row))[0];
  try {
    const isOurs = pragma("application_id") === APPLICATION && pragma("journal_mode") === "wal";
    return { isOurs, version: pragma("user_version") };
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === NO_DATABASE)
      return { isOurs: false };
    throw error;
  }
}
