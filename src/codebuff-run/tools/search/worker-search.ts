// Searches without ripgrep: reads files here, matches them in a worker thread.
import type { Door } from "../door/door.ts";
import { joinPath } from "../door/paths.ts";
import { Refusal } from "../door/refusal.ts";
import { type Engine, type EngineEnd, type EngineSearch, type FileHits, MAX_FILE_BYTES } from "./hits.ts";
import { MatchWorker, WorkerError } from "./matching/match-worker.ts";
import type { TypeGlobs } from "./matching/path-filter.ts";
import { type PatternSource, translatePattern } from "./matching/pattern.ts";
import { PatternError } from "./matching/pattern-reader.ts";
import { globsOfType } from "./types.ts";
import { type WalkEntry, walk } from "./walk.ts";

/** Bytes per batch for the worker, unless one file is larger. Two batches are in memory. */
const BATCH_BYTES = 1_024 * 1_024;
/** Files per batch. Amortises the cost of a message. */
const BATCH_FILES = 64;

/** Parallel reads. Each file may have 10 MiB. */
const READS = 8;

/** `translatePattern` lists the differences to ripgrep. @throws the signal's reason */
export async function* searchWithWorker(search: EngineSearch, door: Door, folder: string): Engine {
  const { flags, pattern, maxPerFile, signal } = search;
  let source: PatternSource;
  let types: readonly TypeGlobs[];
  try {
    source = translatePattern(pattern, flags);
    types = flags.types.map(({ name, excludes }) => ({ globs: typeGlobs(name), excludes }));
  } catch (error) {
    if (error instanceof PatternError) return refusal(pattern, error);
    throw error;
  }
  const { globs, multiline } = flags;
  let worker: MatchWorker | undefined;
  try {
    worker = new MatchWorker(
      { kind: "search", pattern: source, multiline, maxPerFile, globs, types },
      signal,
    );
    const files = filesOf(search, door, folder, globs.length + types.length > 0 ? worker : undefined);
    let code = 1;
    for await (const hits of searchFiles(files, worker, door)) {
      code = 0;
      yield hits;
    }
    return { code, stderr: "" };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WorkerError) return { code: 2, stderr: `code_search: ${error.message}` };
    throw error;
  } finally {
    await worker?.close();
  }
}

function typeGlobs(name: string): readonly string[] {
  const globs = globsOfType(name);
  if (!globs) throw new PatternError(`unrecognized file type: ${name}`);
  return globs;
}

function refusal(pattern: string, { message }: PatternError): EngineEnd {
  return { code: 2, stderr: `code_search: regex parse error:\n    ${pattern}\nerror: ${message}` };
}

interface Candidate {
  readonly shown: string;
  readonly path: string;
}

async function* filesOf(
  search: EngineSearch,
  door: Door,
  folder: string,
  filter: MatchWorker | undefined,
): AsyncGenerator<Candidate, void, void> {
  const { hidden, hiddenFolders, signal } = search;
  for (const top of ["", ...hiddenFolders]) {
    const select = async (entries: readonly WalkEntry[]): Promise<readonly WalkEntry[]> => {
      const seen = entries.filter(({ name }) => name !== ".git" && (hidden || !name.startsWith(".")));
      return filter && seen.length > 0 ? filter.select(seen, top) : seen;
    };
    const below = joinPath(folder, top);
    for await (const path of walk({ door, folder: below, signal, checksFiles: false, select }))
      yield { shown: top === "" ? `./${path}` : `${top}/${path}`, path: joinPath(below, path) };
  }
}

/** Reads a batch while the worker matches the previous one. */
async function* searchFiles(
  files: AsyncGenerator<Candidate, void, void>,
  worker: MatchWorker,
  door: Door,
): AsyncGenerator<FileHits, void, void> {
  let pending: Promise<readonly FileHits[]> = Promise.resolve([]);
  let batch = new Batch();
  for await (const group of groupsOf(files, READS)) {
    const read = await Promise.allSettled(group.map(({ path }) => readWhole(door, path)));
    for (const [n, result] of read.entries()) {
      if (result.status === "rejected") throw result.reason;
      if (result.value) batch.add(group[n]?.shown ?? "", result.value);
    }
    if (!batch.isFull) continue;
    const before = pending;
    pending = batch.match(worker);
    pending.catch(() => {}); // reported by the later await
    batch = new Batch();
    yield* await before;
  }
  yield* await pending;
  yield* await batch.match(worker);
}

async function* groupsOf<T>(
  items: AsyncGenerator<T, void, void>,
  size: number,
): AsyncGenerator<T[], void, void> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  yield group;
}

/** `undefined`: blocked, too large or deleted. */
async function readWhole(door: Door, path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const { bytes } = await door.readFile(path, { maxBytes: MAX_FILE_BYTES });
    // A copy with its own memory, which can be transferred. Small buffers share memory.
    return new Uint8Array(bytes);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

class Batch {
  readonly #names: string[] = [];
  readonly #files: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;

  get isFull(): boolean {
    return this.#size >= BATCH_BYTES || this.#files.length >= BATCH_FILES;
  }

  add(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#names.push(name);
    this.#files.push(bytes);
    this.#size += bytes.length;
  }

  async match(worker: MatchWorker): Promise<readonly FileHits[]> {
    if (this.#files.length === 0) return [];
    const ranges = await worker.matchFiles(this.#files);
    return this.#names
      .map((path, n) => ({ path, ranges: ranges[n] ?? [] }))
      .filter((hits) => hits.ranges.length > 0);
  }
}
