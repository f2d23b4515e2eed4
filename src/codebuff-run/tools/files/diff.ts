import { type StructuredPatchHunk, structuredPatch } from "diff";
import { feedsIn, lineStart, linesIn } from "./lines.ts";

export type Hunk = Pick<StructuredPatchHunk, "oldStart" | "oldLines" | "newStart" | "newLines" | "lines">;

/** Lines shown around a change, as in the original client's diffs. */
const CONTEXT = 4;

/** Removed and added lines that are told apart one by one. The search takes the square of their number: so many take some 50 ms. */
const MAX_EDITS = 1_000;

/** Lines from the first change to the last that are compared. The search holds each of them several times. */
const MAX_LINES = 100_000;

/** Characters of a diff. People and models read less, and a history repeats it with each request. */
export const MAX_DIFF = 100_000;

/**
 * The hunks of a unified diff. Beyond the limits all from the first changed line to the last is one hunk, so the diff is right, but not the
 * shortest. Linear in the texts.
 */
export function hunksBetween(before: string, after: string): readonly Hunk[] {
  if (before === after) return [];
  const { head, oldTail, newTail } = changedPart(before, after);
  const oldPart = before.slice(head, oldTail);
  const newPart = after.slice(head, newTail);
  const found =
    feedsIn(oldPart) + feedsIn(newPart) > MAX_LINES
      ? undefined
      : structuredPatch("", "", oldPart, newPart, undefined, undefined, {
          context: CONTEXT,
          maxEditLength: MAX_EDITS,
        });
  const above = feedsIn(before.slice(0, head));
  return (found?.hunks ?? [wholeHunk(oldPart, newPart)]).map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + above,
    newStart: hunk.newStart + above,
  }));
}

/** A unified diff without file headers: empty for equal texts, and cut behind `MAX_DIFF` characters. */
export function unifiedDiff(before: string, after: string): string {
  return cut(hunksBetween(before, after).map(textOf).join(""));
}

/** A text of a diff within the limit; its last line says how much is missing. */
export function cut(diff: string): string {
  if (diff.length <= MAX_DIFF) return diff;
  const shown = diff.slice(0, diff.lastIndexOf("\n", MAX_DIFF - 1) + 1 || MAX_DIFF);
  const end = shown.endsWith("\n") ? "" : "\n";
  return `${shown}${end}[cut: ${diff.length - shown.length} more characters]\n`;
}

function textOf({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  // A side without lines is an empty file: otherwise lines of the context stand around the change.
  const old = `${oldLines === 0 ? 0 : oldStart},${oldLines}`;
  const now = `${newLines === 0 ? 0 : newStart},${newLines}`;
  return `@@ -${old} +${now} @@\n${lines.join("\n")}\n`;
}

/** Where the texts differ, in whole lines, with the context around: from `head` to `oldTail` and `newTail`. */
function changedPart(
  before: string,
  after: string,
): { readonly head: number; readonly oldTail: number; readonly newTail: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  head = lineStart(before, head);
  let tail = 0;
  const oldEnd = before.length - 1;
  const newEnd = after.length - 1;
  while (tail < shorter - head && before.charCodeAt(oldEnd - tail) === after.charCodeAt(newEnd - tail))
    tail++;
  // The tail begins behind a line's end that both have.
  const firstEnd = tail === 0 ? -1 : before.indexOf("\n", before.length - tail);
  tail = firstEnd === -1 ? 0 : before.length - firstEnd - 1;
  for (let lines = 0; lines < CONTEXT; lines++) {
    if (head > 0) head = lineStart(before, head - 1);
    if (tail > 0) {
      const end = before.indexOf("\n", before.length - tail);
      tail = end === -1 ? 0 : before.length - end - 1;
    }
  }
  return { head, oldTail: before.length - tail, newTail: after.length - tail };
}

/** All of one text against all of another, but for the context at both ends. */
function wholeHunk(before: string, after: string): Hunk {
  const old = linesIn(before);
  const now = linesIn(after);
  const limit = Math.min(old.length, now.length);
  let head = 0;
  while (head < limit && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < limit - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const above = old.slice(Math.max(0, head - CONTEXT), head);
  const below = old.slice(old.length - tail, old.length - tail + CONTEXT);
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  return {
    oldStart: head - above.length + 1,
    newStart: head - above.length + 1,
    oldLines: above.length + removed.length + below.length,
    newLines: above.length + added.length + below.length,
    lines: [...marked(" ", above), ...marked("-", removed), ...marked("+", added), ...marked(" ", below)],
  };
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"],
  );
}
