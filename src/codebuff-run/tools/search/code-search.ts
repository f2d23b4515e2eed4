// The tool `code_search`.
import { type Clock, systemClock } from "../../../core/clock.ts";
import type { Door, OpenFolder } from "../door/door.ts";
import { joinPath } from "../door/paths.ts";
import { codeOf, Refusal } from "../door/refusal.ts";
import type { LocalTool, ToolJob } from "../job.ts";
import { findRipgrep } from "./find-ripgrep.ts";
import { NO_FLAGS, parseFlags, type SearchFlags } from "./flags.ts";
import { openSearchFolder } from "./folder.ts";
import { namesHidden } from "./globs.ts";
import { type Engine, type EngineEnd, type FileHits, MAX_FILE_BYTES } from "./hits.ts";
import { decodeText } from "./matching/decode.ts";
import { MAX_MATCHES, SearchReport } from "./report.ts";
import { searchWithRipgrep } from "./ripgrep.ts";
import { limitedSignal, TIME_LIMIT, TimeLimitError } from "./time-limit.ts";
import { searchWithWorker } from "./worker-search.ts";

export interface CodeSearchOptions {
  /** ripgrep 13 or later. @default `rg` in PATH, then `@vscode/ripgrep`, then a worker thread */
  readonly ripgrepPath?: string | undefined;
  /** Whether agents may pass ripgrep flags from a short list. @default false */
  readonly allowFlags?: boolean | undefined;
  /** Same as the door's option. @default true */
  readonly ignoreFiles?: boolean | undefined;
  /** ms per search. @default 10000 */
  readonly timeLimitMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** `worker` never uses ripgrep. @default "auto" */
  readonly engine?: "auto" | "worker" | undefined;
}

export interface CodeSearchInput {
  readonly pattern: string;
  readonly flags?: string;
  readonly cwd?: string;
  readonly maxResults: number;
}

/** Characters of a pattern. A command line has a limit. */
const MAX_PATTERN = 10_000;
/** Characters of partial results after a timeout. */
const MAX_PARTIAL = 1_000;
/** Hidden folders that are always searched, as in Codebuff. Agents and CI read them. */
const HIDDEN_FOLDERS = [".agents", ".claude", ".github", ".gitlab", ".circleci", ".husky"];

export function codeSearch(options: CodeSearchOptions = {}): LocalTool<CodeSearchInput> {
  const { ripgrepPath, engine = "auto" } = options;
  let program: Promise<string | undefined> | undefined;
  return async (input, job) => {
    const flags = readFlags(input, options.allowFlags ?? false);
    const problem = flags.problem ?? patternProblem(input.pattern);
    if (flags.problem !== undefined || problem !== undefined) return { errorMessage: problem };
    const opened = await openSearchFolder(job.door, input.cwd);
    if (!opened.folder) return { errorMessage: `Invalid cwd: ${opened.problem}` };
    try {
      program ??= engine === "worker" ? Promise.resolve(undefined) : findRipgrep({ ripgrepPath });
      return await search(input, flags.flags, {
        job,
        folder: opened.folder,
        program: await program,
        options,
      });
    } finally {
      await opened.folder.close();
    }
  };
}

function readFlags({ flags = "" }: CodeSearchInput, isAllowed: boolean): ReturnType<typeof parseFlags> {
  if (flags.trim() === "") return { flags: NO_FLAGS };
  return isAllowed
    ? parseFlags(flags)
    : { problem: "Flags are not allowed here. Search again without flags." };
}

function patternProblem(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN) return `The pattern is longer than ${MAX_PATTERN} characters.`;
  return pattern.includes("\0") ? "The pattern must not contain a NUL character." : undefined;
}

interface Place {
  readonly job: ToolJob;
  readonly folder: OpenFolder;
  readonly program: string | undefined;
  readonly options: CodeSearchOptions;
}

async function search(input: CodeSearchInput, flags: SearchFlags, place: Place): Promise<object> {
  const { job, folder, program, options } = place;
  const { clock = systemClock, timeLimitMs = TIME_LIMIT } = options;
  const maxPerFile = Math.min(input.maxResults, flags.maxCount ?? MAX_MATCHES, MAX_MATCHES);
  const { before, after } = flags;
  const report = new SearchReport({ maxPerFile, maxResults: input.maxResults, before, after });
  using limit = limitedSignal(job.signal, clock, timeLimitMs);
  try {
    const hidden = flags.globs.some(namesHidden);
    const hiddenFolders = hidden ? [] : await findHidden(job.door, folder.path);
    const { signal } = limit;
    const { ignoreFiles = true } = options;
    const wanted = { pattern: input.pattern, flags, maxPerFile, hidden, hiddenFolders, ignoreFiles, signal };
    const engine =
      program === undefined
        ? searchWithWorker(wanted, job.door, folder.path)
        : searchWithRipgrep(wanted, { command: program, cwd: folder.cwd, clock });
    const end = await readInto(report, engine, { door: job.door, folder: folder.path, hidden, signal });
    if (!end)
      return { stdout: report.stopped(), message: `Stopped early after ${report.matches} match(es).` };
    const { code, stderr } = exitOf(end, report);
    return { stdout: report.whole(), ...(stderr === "" ? {} : { stderr }), message: `Exit code: ${code}` };
  } catch (error) {
    return failure(error, job.signal, report, timeLimitMs);
  }
}

async function findHidden(door: Door, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of HIDDEN_FOLDERS) if (await isSearched(door, joinPath(folder, name))) found.push(name);
  return found;
}

async function isSearched(door: Door, path: string): Promise<boolean> {
  try {
    // Not a link: ripgrep would follow it.
    const isFolder = (await door.look(path))?.kind === "folder";
    return isFolder && (await door.status(path, "folder")) !== "blocked";
  } catch (error) {
    // The caller's filter may block the name.
    if (error instanceof Refusal) return false;
    throw error;
  }
}

interface Reading {
  readonly door: Door;
  readonly folder: string;
  readonly hidden: boolean;
  readonly signal: AbortSignal;
}

/** Returns `undefined` if the report was full before the engine ended. */
async function readInto(
  report: SearchReport,
  engine: Engine,
  reading: Reading,
): Promise<EngineEnd | undefined> {
  try {
    for (;;) {
      const next = await engine.next();
      if (next.done) return next.value;
      reading.signal.throwIfAborted();
      const text = await readHits(next.value, reading);
      if (text !== undefined) report.add(next.value.path, text, next.value.ranges);
      if (report.isFull) return undefined;
    }
  } finally {
    await engine.return({ code: 0, stderr: "" });
  }
}

/** Reads a matching file through the door. `undefined`: blocked or deleted. */
async function readHits({ path }: FileHits, { door, folder, hidden }: Reading): Promise<string | undefined> {
  const isBelowDot = path.startsWith("./");
  const names = (isBelowDot ? path.slice(2) : path).split("/");
  // With a glob such as `-g '*'`, ripgrep searches hidden folders.
  const isHidden = (isBelowDot ? names : names.slice(1)).some((name) => name.startsWith("."));
  if (names.includes(".git") || (isHidden && !hidden)) return undefined;
  const inside = joinPath(folder, names.join("/"));
  try {
    if ((await door.status(inside, "file")) === "blocked") return undefined;
    return decodeText((await door.readFile(inside, { maxBytes: MAX_FILE_BYTES })).bytes);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Hides ripgrep's exit code: it would reveal matches in blocked files. */
function exitOf(end: EngineEnd, { matches }: SearchReport): EngineEnd {
  if (end.code === 2 && end.stderr !== "") return end;
  return { code: matches > 0 ? 0 : 1, stderr: "" };
}

function failure(error: unknown, signal: AbortSignal, report: SearchReport, timeLimitMs: number): object {
  if (signal.aborted) return { errorMessage: "The search was cancelled." };
  if (error instanceof TimeLimitError) {
    return {
      errorMessage: `Code search timed out after ${timeLimitMs / 1_000} seconds. The search may be too broad or the pattern too complex. Try narrowing your search with more specific flags or a more specific pattern.`,
      stdout: report.head(MAX_PARTIAL),
    };
  }
  const code = codeOf(error);
  if (code === undefined) throw error;
  return { errorMessage: `Failed to execute ripgrep: ${code}` };
}
