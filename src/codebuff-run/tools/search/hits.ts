// What a search finds, and the interface of both engines (ripgrep, worker).
import type { SearchFlags } from "./flags.ts";

/** Lines of a file, starting at 1, both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export interface FileHits {
  /** As ripgrep prints it: `./a.ts`, or `.github/a.yml` for an explicitly searched folder. */
  readonly path: string;
  readonly ranges: readonly LineRange[];
}

export interface EngineEnd {
  /** As ripgrep: 0 for matches, 1 for none, 2 for an error. */
  readonly code: number;
  readonly stderr: string;
}

export interface EngineSearch {
  readonly pattern: string;
  readonly flags: SearchFlags;
  readonly maxPerFile: number;
  /** Whether to search hidden files, except `.git`. */
  readonly hidden: boolean;
  /** Hidden folders to search even if `hidden` is false. */
  readonly hiddenFolders: readonly string[];
  /** Whether ignore files apply. */
  readonly ignoreFiles: boolean;
  readonly signal: AbortSignal;
}

/** Yields files and lines, but no text: the caller reads the text through the door, which checks the path. */
export type Engine = AsyncGenerator<FileHits, EngineEnd, void>;

/** Bytes per file. Larger files are skipped by both engines. */
export const MAX_FILE_BYTES = 10 * 1_024 * 1_024;

/** Joins adjacent ranges. Both engines count multi-line matches this way. */
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
