// `directoryStore`: stores each chat in a JSONL file of a folder.
import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { checkCallOptions, checks, describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { Recent } from "../../core/recent.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import { compactLines } from "../../universal/jsonl/delta-line.ts";
import { type JsonlProblem, JsonlReader } from "../../universal/jsonl/jsonl.ts";
import { ChatStoreError } from "../../universal/words/store-error.ts";
import { fileNameOf, idOfFileName } from "./file-name.ts";
import { APPEND, isCode, openOwn, ownFolder, READ, RefusedFile } from "./own-file.node.ts";
import { Serial } from "./serial.ts";
import { type ChatStore, checkEvents, checkId } from "./store.ts";

/** Options of {@link directoryStore}. */
export interface DirectoryStoreOptions {
  /**
   * Whether `append` waits some ms until the events are on the disk (fsync). Otherwise the system writes them some
   * seconds later. A crash then loses nothing, but a power cut may lose the last events. @default false
   */
  readonly durable?: boolean;
  /**
   * `load` calls it for each line that is not an event, and skips the line. A crash, a full disk or another program may
   * have left such a line. An error of this function rejects the load. @default does nothing
   */
  readonly onProblem?: (problem: JsonlProblem & { readonly id: string }) => void;
}

const OPTIONS = { durable: checks.boolean, onProblem: checks.function };

/**
 * Stores each chat in a JSONL file in `folder`. The first append creates the folder and its parents. Only this user
 * gets access (folder 0700, files 0600): wider modes are corrected. A link, or a file of another user, is refused. The
 * file of a chat is `chat-<id>.jsonl`: universal events, for `readJsonl`, `fold` and `checkTranscript`.
 *
 * - After `append` resolves, the events are in the file. Consecutive deltas share a line, because short ones would
 *   otherwise take 60 times the space of their text.
 * - Appends of one process never mix their lines, even from several stores on one folder. Each append is one write at
 *   the end of the file, so other processes may append too.
 * - If a crash has cut off the last line, the next append starts a new line.
 *
 * @throws InvalidInputError for a folder that is no text, or an unknown option. Calls reject with it for a wrong id or
 * wrong events, and with {@link ChatStoreError} if the system refuses.
 */
export function directoryStore(folder: string, options?: DirectoryStoreOptions): ChatStore {
  if (!checks.text.holds(folder))
    throw new InvalidInputError(`the folder is ${describe(folder)}.`, "Pass the path of a folder.");
  checkCallOptions<DirectoryStoreOptions, typeof OPTIONS>(options, OPTIONS);
  return new DirectoryStore(resolve(folder), options ?? {});
}

/** Runs calls in order, per path of a chat as the store spells it. */
const CALLS = new Serial();
/** Runs writes in order, per real path, because several stores may spell one folder differently. */
const WRITES = new Serial();

/** The limit of remembered last events, about 500 bytes each. Other chats start a new line per append. */
const MAX_TAILS = 64;

/** Bytes per read. */
const PIECE = 64 * 1_024;
const LINE_FEED = 0x0a;

/** A file after this store's last write. */
interface Tail {
  /** Identifies the file and its length. */
  readonly state: string;
  readonly last: UniversalEvent | undefined;
}

class DirectoryStore implements ChatStore {
  readonly #folder: string;
  readonly #options: DirectoryStoreOptions;
  /** By file name. */
  readonly #tails = new Recent<string, Tail>(MAX_TAILS);

  constructor(folder: string, options: DirectoryStoreOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  async load(id: string): Promise<readonly UniversalEvent[]> {
    checkId(id);
    const file = fileOf(id);
    const { events, problems } = await CALLS.run(join(this.#folder, file), () =>
      this.#guard("load", id, () =>
        unlessMissing(
          ownFolder(this.#folder).then((folder) => read(join(folder, file))),
          { events: [], problems: [] },
        ),
      ),
    );
    for (const problem of problems) this.#options.onProblem?.({ ...problem, id });
    return events;
  }

  async append(id: string, events: readonly UniversalEvent[]): Promise<void> {
    checkId(id);
    const json = checkEvents(events);
    if (events.length === 0) return;
    const file = fileOf(id);
    await CALLS.run(join(this.#folder, file), () =>
      this.#guard("append", id, async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        const folder = await ownFolder(this.#folder);
        const path = join(folder, file);
        await WRITES.run(path, async () => {
          if (isLong(file)) await keepId(path, id);
          const isNew = await this.#write(path, file, events, json);
          if (isNew && this.#options.durable) await syncFolder(folder);
        });
      }),
    );
  }

  async list(): Promise<readonly string[]> {
    return this.#guard("list", undefined, async () => {
      const entries = await unlessMissing(readdir(this.#folder, { withFileTypes: true }), []);
      const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      const ids = await Promise.all(
        names.map((name) => (isLong(name) ? keptId(join(this.#folder, name)) : idOfFileName(name))),
      );
      return ids.filter((id) => id !== undefined).sort();
    });
  }

  /** Returns whether the file was new. */
  #write(
    path: string,
    file: string,
    events: readonly UniversalEvent[],
    json: readonly string[],
  ): Promise<boolean> {
    return withFile(openOwn(path, APPEND), async (handle) => {
      const { size, ino, dev } = await handle.stat();
      const stateAt = (end: number): string => [dev, ino, end].join();
      const tail = this.#tails.get(file);
      const isAsLeft = tail?.state === stateAt(size);
      this.#tails.delete(file); // forgotten, unless this write succeeds
      const isCut = !isAsLeft && size > 0 && !(await endsWithLineFeed(handle, size));
      const lines = compactLines(events, json, isAsLeft ? tail.last : undefined);
      const bytes = Buffer.from(isCut ? `\n${lines}` : lines);
      let rest: Uint8Array = bytes;
      while (rest.length > 0) rest = rest.subarray((await handle.write(rest)).bytesWritten); // usually one write is enough
      if (this.#options.durable) await handle.sync();
      this.#tails.set(file, { state: stateAt(size + bytes.length), last: events.at(-1) });
      return size === 0;
    });
  }

  async #guard<T>(
    operation: ChatStoreError["operation"],
    id: string | undefined,
    task: () => Promise<T>,
  ): Promise<T> {
    try {
      return await task();
    } catch (cause) {
      const reason = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
      const refusal = cause instanceof RefusedFile ? cause.message : undefined;
      const what = id === undefined ? "the chats" : `the chat ${JSON.stringify(id.slice(0, QUOTED))}`;
      const why = refusal ?? (reason === undefined ? undefined : WHY[reason]) ?? "the system refused";
      const message = `${what} could not be ${DONE[operation]} in ${this.#folder}: ${why}${reason ? ` (${reason})` : ""}`;
      throw new ChatStoreError(message, { operation, id, reason, cause });
    }
  }
}

/** Maximum characters of an id in an error message. */
const QUOTED = 100;
const DONE = { load: "read", append: "saved", list: "listed" } as const;
const WHY: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "the disk cannot be written to",
  ENOTDIR: "a part of the path is no folder",
  EEXIST: "the path is no folder",
  EMFILE: "too many files are open",
};

async function read(
  path: string,
): Promise<{ events: readonly UniversalEvent[]; problems: readonly JsonlProblem[] }> {
  const reader = new JsonlReader();
  const events: UniversalEvent[] = [];
  let line = 1;
  const add = (more: readonly UniversalEvent[]): void => {
    for (const event of more) events.push(event);
  };
  await withFile(openOwn(path, READ), async (handle) => {
    const buffer = new Uint8Array(PIECE);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE);
      if (bytesRead === 0) break;
      const piece = buffer.subarray(0, bytesRead);
      for (const byte of piece) if (byte === LINE_FEED) line++;
      add(reader.push(piece));
    }
  });
  const { complete, events: last } = reader.end();
  add(last);
  const cut = complete ? [] : [{ line, message: "the end was cut off, as by a crash" }];
  return { events, problems: [...reader.problems, ...cut] };
}

async function endsWithLineFeed(handle: FileHandle, size: number): Promise<boolean> {
  const last = new Uint8Array(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] === LINE_FEED;
}

/** Writes a new file's folder entry to the disk. Windows cannot open folders, and needs no call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await withFile(open(folder, "r"), (handle) => handle.sync());
}

async function withFile<T>(
  opened: FileHandle | Promise<FileHandle>,
  task: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await opened;
  try {
    return await task(handle);
  } finally {
    await handle.close();
  }
}

async function unlessMissing<T, U>(opening: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await opening;
  } catch (error) {
    if (isCode(error, "ENOENT")) return otherwise;
    throw error;
  }
}

const LONG = /^long-[0-9a-f]{64}\.jsonl$/;

function fileOf(id: string): string {
  return fileNameOf(id) ?? longFileOf(id);
}

/** For an id that is too long for a file name: the name has the id's hash, and a second file holds the id. */
function longFileOf(id: string): string {
  return `long-${createHash("sha256").update(Buffer.from(id, "utf16le")).digest("hex")}.jsonl`;
}

function isLong(file: string): boolean {
  return LONG.test(file);
}

const idFileOf = (path: string): string => path.replace(/\.jsonl$/, ".id");

/** Writes the id before the events, through a rename: the file is complete or absent. */
async function keepId(path: string, id: string): Promise<void> {
  if ((await keptId(path)) === id) return;
  const temporary = `${idFileOf(path)}.${randomUUID()}`;
  try {
    await writeFile(temporary, JSON.stringify(id), { mode: 0o600, flag: "wx" });
    await rename(temporary, idFileOf(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The id of a chat with a long id. Undefined if the id's file is missing or does not match. */
async function keptId(path: string): Promise<string | undefined> {
  try {
    const text = await withFile(openOwn(idFileOf(path), READ), (handle) => handle.readFile("utf8"));
    const id: unknown = JSON.parse(text);
    return typeof id === "string" && path.endsWith(longFileOf(id)) ? id : undefined;
  } catch (error) {
    const isNone = isCode(error, "ENOENT") || error instanceof SyntaxError || error instanceof RefusedFile;
    if (!isNone) throw error;
    return undefined; // the next append writes it again
  }
}
