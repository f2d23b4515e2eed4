// What a search engine finds, and the interface of both engines: ripgrep and the worker.
import type { SearchFlags } from "./flags.ts";

/** Lines of a file, counted from 1, both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A file where an engine found something. */
export interface FileHits {
  /** Relative to the searched folder, as ripgrep names files: `./a.ts`, but `.github/a.yml` below a folder that was named. */
  readonly path: string;
  /** In the order of lines. */
  readonly ranges: readonly LineRange[];
}

/** How an engine ended. */
export interface EngineEnd {
  /** ripgrep's: 0 with matches, 1 without, 2 for a search that is not possible. */
  readonly code: number;
  readonly stderr: string;
}

/** One search, for an engine. */
export interface EngineSearch {
  readonly pattern: string;
  readonly flags: SearchFlags;
  /** Matches per file. */
  readonly maxPerFile: number;
  /** Whether hidden files are searched, but for `.git`. */
  readonly hidden: boolean;
  /** Hidden folders of the searched folder that are searched although `hidden` is false. */
  readonly hiddenFolders: readonly string[];
  /** Whether the door reads ignore files. */
  readonly ignoreFiles: boolean;
  readonly signal: AbortSignal;
}

/**
 * Tells which files and lines match. Neither engine is asked for texts: who shows a line reads it through the door. So a path that is swapped
 * for a link while ripgrep reads shows nothing of what is behind the link.
 */
export type Engine = AsyncGenerator<FileHits, EngineEnd, void>;

/** ripgrep's limit on files, and the fallback's. A bigger file is data, and costs too much memory to show. Bytes. */
export const MAX_FILE_BYTES = 10 * 1_024 * 1_024;

/** Joins ranges that touch. Multi-line matches are counted so by both engines. */
export function joinRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const joined: LineRange[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last && range.first <= last.last + 1)
      joined[joined.length - 1] = { first: last.first, last: Math.max(last.last, range.last) };
    else joined.push(range);
  }
  return joined;
}
