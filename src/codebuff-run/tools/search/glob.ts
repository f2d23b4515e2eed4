// The tool `glob`.
import { type Clock, systemClock } from "../../../core/clock.ts";
import type { Door } from "../door/door.ts";
import { joinPath } from "../door/paths.ts";
import type { LocalTool } from "../job.ts";
import { openSearchFolder } from "./folder.ts";
import { globProblem } from "./globs.ts";
import { MatchWorker, WorkerError } from "./matching/match-worker.ts";
import { limitedSignal, TIME_LIMIT, TimeLimitError } from "./time-limit.ts";
import { type WalkEntry, walk } from "./walk.ts";

export interface GlobOptions {
  /** ms per search. @default 10000 */
  readonly timeLimitMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

export interface GlobInput {
  readonly pattern: string;
  readonly cwd?: string;
  readonly max_results?: number;
}

/** Paths per result: about 1 MB of text. */
const MAX_PATHS = 10_000;

/** Matches in a worker thread: some patterns take forever. Reads folders through the door. */
export function globFiles(options: GlobOptions = {}): LocalTool<GlobInput> {
  return async (input, { door, signal: outer }) => {
    const { clock = systemClock, timeLimitMs = TIME_LIMIT } = options;
    const pattern = input.pattern.replace(/^(?:\.\/)+/, "");
    const { cwd, max_results: asked = MAX_PATHS } = input;
    const problem = patternProblem(pattern) ?? (asked < 1 ? "max_results must be 1 or more." : undefined);
    if (problem !== undefined) return failed(problem);
    const opened = await openSearchFolder(door, cwd);
    if (!opened.folder) return failed(opened.problem);
    const folder = opened.folder.path;
    await opened.folder.close();
    using limit = limitedSignal(outer, clock, timeLimitMs);
    try {
      const limited = Math.min(asked, MAX_PATHS);
      const { files, hasMore } = await find(door, { pattern, folder, max: limited, signal: limit.signal });
      const place = cwd === undefined || cwd === "" ? "" : ` in directory "${cwd}"`;
      const rest = hasMore ? ` (there are more: this is the limit of ${limited})` : "";
      const message = `Found ${files.length} file(s) matching pattern "${input.pattern}"${place}${rest}`;
      return { files, count: files.length, message };
    } catch (error) {
      if (outer.aborted) return { errorMessage: "The search was cancelled." };
      if (error instanceof TimeLimitError)
        return failed(`It took longer than ${timeLimitMs / 1_000} seconds. Use a narrower pattern or a cwd.`);
      if (error instanceof WorkerError) return failed(error.message);
      throw error;
    }
  };
}

function failed(problem: string): object {
  return { errorMessage: `Failed to search for files: ${problem}` };
}

function patternProblem(pattern: string): string | undefined {
  const problem = globProblem(pattern);
  if (problem !== undefined) return `The pattern ${problem}.`;
  const leaves =
    pattern.startsWith("/") || /^[A-Za-z]:/.test(pattern) || pattern.split(/[\\/{},]/).includes("..");
  return leaves ? 'The pattern must be relative to the project directory, without "..".' : undefined;
}

interface Finding {
  readonly pattern: string;
  readonly folder: string;
  readonly max: number;
  readonly signal: AbortSignal;
}

async function find(door: Door, { pattern, folder, max, signal }: Finding) {
  const worker = new MatchWorker({ kind: "glob", pattern, folder }, signal);
  const select = (entries: readonly WalkEntry[]) => worker.select(entries);
  const files: string[] = [];
  try {
    for await (const path of walk({ door, folder, signal, checksFiles: true, select })) {
      if (files.length === max) return { files, hasMore: true };
      files.push(joinPath(folder, path));
    }
    return { files, hasMore: false };
  } finally {
    await worker.close();
  }
}
