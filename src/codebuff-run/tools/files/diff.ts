// Unified diffs of two texts, within limits.
import { type StructuredPatchHunk, structuredPatch } from "diff";
import { feedsIn, lineStart } from "./lines.ts";

export type Hunk = Pick<StructuredPatchHunk, "oldStart" | "oldLines" | "newStart" | "newLines" | "lines">;

/** Context lines around a change, as in Codebuff's client. */
const CONTEXT = 4;

/** Changed lines that the diff search compares. The search is quadratic: about 50 ms at this limit. */
const MAX_EDITS = 500;

/** Lines between the first and last change that are compared. The search holds several copies. */
const MAX_LINES = 100_000;

/** Characters of a diff. The history repeats it in each request. */
export const MAX_DIFF = 100_000;

/** Hunks in linear time. Above the limits, one hunk with at most `limit` characters per side. */
export function hunksBetween(before: string, after: string, limit = Infinity): readonly Hunk[] {
  if (before === after) return [];
  const span = changedSpan(before, after);
  const { above, oldBelow, newBelow } = span;
  const oldPart = before.slice(above, oldBelow);
  const newPart = after.slice(above, newBelow);
  const found =
    feedsIn(oldPart) + feedsIn(newPart) > MAX_LINES
      ? undefined
      : structuredPatch("", "", oldPart, newPart, undefined, undefined, {
          context: CONTEXT,
          maxEditLength: MAX_EDITS,
        });
  const line = feedsIn(before.slice(0, above));
  return (found?.hunks ?? [wholeHunk(before, after, span, limit)]).map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + line,
    newStart: hunk.newStart + line,
  }));
}

/** A unified diff without file headers. Empty for equal texts; cut at `MAX_DIFF` characters. */
export function unifiedDiff(before: string, after: string): string {
  return cutDiff(hunksBetween(before, after, MAX_DIFF).map(textOf).join(""));
}

/** Cuts a text at `MAX_DIFF`, at the end of a line if lines are short. */
export function cutDiff(text: string): string {
  if (text.length <= MAX_DIFF) return text;
  const end = text.lastIndexOf("\n", MAX_DIFF - 1);
  return end > MAX_DIFF / 2 ? `${text.slice(0, end)}${CUT}` : `${text.slice(0, MAX_DIFF)}${CUT}`;
}

const CUT = `\n[cut behind ${MAX_DIFF} characters]\n`;

function textOf({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  // A side without lines is an empty file: otherwise there are context lines.
  const old = `${oldLines === 0 ? 0 : oldStart},${oldLines}`;
  const now = `${newLines === 0 ? 0 : newStart},${newLines}`;
  return `@@ -${old} +${now} @@\n${lines.join("\n")}\n`;
}

/** Offsets of the change: `head` to `oldTail`/`newTail`. With context: `above` to `oldBelow`/`newBelow`. */
interface Span {
  readonly above: number;
  readonly head: number;
  readonly oldTail: number;
  readonly newTail: number;
  readonly oldBelow: number;
  readonly newBelow: number;
}

function changedSpan(before: string, after: string): Span {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before.charCodeAt(same) === after.charCodeAt(same)) same++;
  const head = lineStart(before, same);
  const oldEnd = before.length - 1;
  const newEnd = after.length - 1;
  let tail = 0;
  while (tail < shorter - head && before.charCodeAt(oldEnd - tail) === after.charCodeAt(newEnd - tail))
    tail++;
  tail = behindLine(before, tail); // starts after a common line end
  let above = head;
  let below = tail;
  for (let lines = 0; lines < CONTEXT; lines++) {
    if (above > 0) above = lineStart(before, above - 1);
    below = behindLine(before, below);
  }
  return {
    above,
    head,
    oldTail: before.length - tail,
    newTail: after.length - tail,
    oldBelow: before.length - below,
    newBelow: after.length - below,
  };
}

/** The length of a text's tail without its first line. */
function behindLine(text: string, length: number): number {
  const end = length === 0 ? -1 : text.indexOf("\n", text.length - length);
  return end === -1 ? 0 : text.length - end - 1;
}

function wholeHunk(before: string, after: string, span: Span, limit: number): Hunk {
  const { above, head, oldTail, newTail, oldBelow, newBelow } = span;
  const cutTo = (start: number, end: number): number => Math.min(end, start + limit);
  const lines: string[] = [];
  addMarked(lines, " ", before.slice(above, head));
  addMarked(lines, "-", before.slice(head, cutTo(head, oldTail)));
  addMarked(lines, "+", after.slice(head, cutTo(head, newTail)));
  addMarked(lines, " ", before.slice(oldTail, oldBelow));
  return {
    oldStart: 1,
    newStart: 1,
    oldLines: countLines(before.slice(above, oldBelow)),
    newLines: countLines(after.slice(above, newBelow)),
    lines,
  };
}

function addMarked(lines: string[], mark: string, text: string): void {
  if (text === "") return;
  const own = text.split("\n");
  const last = own.pop();
  for (const line of own) lines.push(mark + line);
  if (last) lines.push(mark + last, "\\ No newline at end of file");
}

function countLines(text: string): number {
  return feedsIn(text) + (text === "" || text.endsWith("\n") ? 0 : 1);
}
