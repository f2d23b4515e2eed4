// Opens files and folders for this user alone, and never follows links.
import { constants, type Stats } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";

/** A file or a folder that this library refuses to use. */
export class RefusedFile extends Error {
  /** `link`, `foreign-owner` or `not-a-file`, or the system's code `EISDIR`. */
  readonly code: string;

  /** @param message what the problem is, and what to do */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

// Windows has none of these flags, modes and owners. There the folder inherits its access rights.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0, O_RDONLY, O_RDWR, O_APPEND, O_CREAT } = constants;

export const READ = O_RDONLY;
export const APPEND = O_RDWR | O_APPEND | O_CREAT;

/** The mode bits that give other users access. */
const OTHERS = 0o077;
/** The sticky bit. The shared folder for temporary files has it, and is for all users on purpose. */
const STICKY = 0o1000;
const ROOT = 0;

const REMOVE = "move it away, or pass another folder";

/**
 * Opens a file of this user with the mode 0600. Follows no links, and never blocks on a pipe.
 * @throws RefusedFile; the error of the system
 */
export async function openOwn(path: string, flags: number): Promise<FileHandle> {
  const handle = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600).catch((error: unknown) => {
    if (isCode(error, "ELOOP") || isCode(error, "EMLINK")) throw linked();
    throw error;
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new RefusedFile("EISDIR", "there is a folder in place of the file");
    if (!stats.isFile()) throw new RefusedFile("not-a-file", `its file is a pipe or a device: ${REMOVE}`);
    if (stats.nlink > 1) throw linked();
    if (process.geteuid && stats.uid !== process.geteuid())
      throw new RefusedFile(
        "foreign-owner",
        `its file belongs to another user (uid ${stats.uid}): ${REMOVE}`,
      );
    await keepOthersOut(handle, stats, 0o600);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function linked(): RefusedFile {
  return new RefusedFile("link", `its file is a link, or has a second name: ${REMOVE}`);
}

/**
 * The real path of a folder. A folder of this user gets the mode 0700. A folder of root stays as it is.
 * @throws RefusedFile for the folder of another user; the error of the system
 */
export async function ownFolder(folder: string): Promise<string> {
  const path = await realpath(folder);
  const user = process.geteuid?.();
  if (user === undefined) return path;
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (stats.uid !== user && stats.uid !== ROOT)
      throw new RefusedFile(
        "foreign-owner",
        `the folder belongs to another user (uid ${stats.uid}): pass one of your own`,
      );
    if (stats.uid === user && (stats.mode & STICKY) === 0) await keepOthersOut(handle, stats, 0o700);
  } finally {
    await handle.close();
  }
  return path;
}

async function keepOthersOut(handle: FileHandle, { mode }: Stats, most: number): Promise<void> {
  if (process.geteuid === undefined || (mode & OTHERS) === 0) return;
  try {
    await handle.chmod(mode & most);
  } catch (error) {
    if (!isCode(error, "EROFS")) throw error; // a read-only file system: reading still works
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
