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

/** Adds a range, joined with an adjacent last one. Returns false if the list is full. */
export function addRange(ranges: LineRange[], { first, last }: LineRange, limit: number): boolean {
  const tail = ranges.at(-1);
  const isAdjacent = tail !== undefined && first <= tail.last + 1;
  if (!isAdjacent && ranges.length >= limit) return false;
  if (isAdjacent) ranges.splice(-1, 1, { first: tail.first, last: Math.max(tail.last, last) });
  else ranges.push({ first, last });
  return true;
}
