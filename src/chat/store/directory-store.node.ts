// `directoryStore`: keeps each chat in a JSONL file of a folder.
import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { checkCallOptions, checks, describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { Recent } from "../../core/recent.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import { type JsonlProblem, JsonlReader } from "../../universal/jsonl/jsonl.ts";
import { ChatStoreError } from "../../universal/words/store-error.ts";
import { compactLines } from "./compact-lines.ts";
import { fileNameOf, idOfFileName } from "./file-name.ts";
import { APPEND, isCode, openOwn, ownFolder, READ, RefusedFile } from "./own-file.node.ts";
import { Serial } from "./serial.ts";
import { type ChatStore, checkEvents, checkId } from "./store.ts";

/** Options of {@link directoryStore}. */
export interface DirectoryStoreOptions {
  /**
   * Whether `append` waits until the disk has the events (fsync). Without it the system writes them some seconds later: a crash of the
   * program loses nothing, a power cut may lose the last events. With it each append takes some ms.
   * @default false
   */
  readonly durable?: boolean;
  /**
   * Called by `load` for each line that is no event: what a crash or a full disk cut off, also at the end, or what somebody else wrote. Such
   * lines are skipped. An error of this function rejects the load. @default nobody is told
   */
  readonly onProblem?: (problem: JsonlProblem & { readonly id: string }) => void;
}

const OPTIONS = { durable: checks.boolean, onProblem: checks.function };

/**
 * Keeps each chat in a JSONL file in `folder`. The folder and its parents are made at the first append. All is for this user alone (0700;
 * files 0600): wider modes of what is there already are put right. A file that is a link or no file, or belongs to another user, is refused.
 *
 * - What `append` has taken is in the file. Deltas that follow one another share a line, so that short ones do not take 60 times their text.
 * - Appends of one process never mix their lines, also those of several stores on one folder. Each append is one write at the end of the
 *   file, so other processes may append too.
 * - A last line that was cut off by a crash stays behind as a line of its own: the next append begins a new line.
 *
 * @throws InvalidInputError for a folder that is no text, or an option that does not exist. Calls reject with it for an id or events that
 * cannot be stored, and with {@link ChatStoreError} if the system refuses.
 */
export function directoryStore(folder: string, options?: DirectoryStoreOptions): ChatStore {
  if (!checks.text.holds(folder))
    throw new InvalidInputError(`the folder is ${describe(folder)}.`, "Pass the path of a folder.");
  checkCallOptions<DirectoryStoreOptions, typeof OPTIONS>(options, OPTIONS);
  return new DirectoryStore(resolve(folder), options ?? {});
}

/** Calls in their order, by the path of the chat as a store spells it. */
const CALLS = new Serial();
/** Writes, by the real path: several stores may spell one folder differently. */
const WRITES = new Serial();

/** Chats whose last event is remembered, about 500 bytes each. The next append to another chat begins with a whole event. */
const MAX_TAILS = 64;

/** Bytes that are read at once. */
const PIECE = 64 * 1_024;
const LINE_FEED = 0x0a;

/** A file as this store has left it. */
interface Tail {
  /** Which file it was, and how long. */
  readonly state: string;
  readonly last: UniversalEvent | undefined;
}

class DirectoryStore implements ChatStore {
  readonly #folder: string;
  readonly #options: DirectoryStoreOptions;
  /** By the name of the file. */
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

  /** Whether the file was new. */
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
      this.#tails.delete(file); // until this write is known to be whole
      const isCut = !isAsLeft && size > 0 && !(await endsWithLineFeed(handle, size));
      const lines = compactLines(events, json, isAsLeft ? tail.last : undefined);
      const bytes = Buffer.from(isCut ? `\n${lines}` : lines);
      let rest: Uint8Array = bytes;
      while (rest.length > 0) rest = rest.subarray((await handle.write(rest)).bytesWritten); // the first write takes all, as a rule
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

/** Characters of an id that a message quotes. */
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

/** Makes a new file last. Windows cannot open folders, and needs no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await withFile(open(folder, "r"), (handle) => handle.sync());
}

/** Closes the file, whatever happens. */
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

/** An id that is too long for a name: the file has the name of its hash, and a file beside it holds the id. */
function longFileOf(id: string): string {
  return `long-${createHash("sha256").update(Buffer.from(id, "utf16le")).digest("hex")}.jsonl`;
}

function isLong(file: string): boolean {
  return LONG.test(file);
}

const idFileOf = (path: string): string => path.replace(/\.jsonl$/, ".id");

/** Written before the events, and whole or not at all. */
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

/** The id of a file with a long one; `undefined` if the file beside it is missing, or holds another id. */
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
