// Removes the white space that is left over where a tag was removed.
import { textOfRanges } from "./rejoined.ts";
import type { Range } from "./scan.ts";

/**
 * Removes surplus white space from the pieces of a text: white space that is left over because something between two pieces was removed.
 * Other white space stays, especially in code blocks.
 *
 * - Of two adjacent spaces, the second is removed.
 * - Blanks at the end of a line are removed, if something was removed among them.
 * - A line is removed if something was removed from it and only blanks are left. Of the blank lines before and after it, only as many
 *   stay as in the longer of the two runs.
 * - White space at both ends of the whole text is removed.
 *
 * Linear: a few passes over the text.
 */
export function tidy(input: string, pieces: readonly Range[]): readonly Range[] {
  const text = textOfRanges(input, pieces);
  const gone = new Uint8Array(text.length);
  const cuts = cutsOf(pieces, text.length);
  for (let at = 1; at < text.length; at++)
    if (cuts[at] === 1 && text[at] === " " && text[at - 1] === " ") gone[at] = 1;
  dropLines(text, cuts, gone);
  const isGone = (at: number): boolean => gone[at] === 1 || text.charAt(at).trim() === "";
  for (let at = 0; at < text.length && isGone(at); at++) gone[at] = 1;
  for (let at = text.length - 1; at >= 0 && isGone(at); at--) gone[at] = 1;
  return left(pieces, gone);
}

/** 1 at each index of the joined text before which something was removed. */
function cutsOf(pieces: readonly Range[], length: number): Uint8Array {
  const cuts = new Uint8Array(length + 1);
  let previous = pieces[0]?.start;
  let at = 0;
  for (const { start, end } of pieces) {
    if (start !== previous) cuts[at] = 1;
    at += end - start;
    previous = end;
  }
  return cuts;
}

/** Marks the lines and line ends to remove. */
function dropLines(text: string, cuts: Uint8Array, gone: Uint8Array): void {
  let start = 0;
  let blankLines = 0; // kept blank lines up to this line
  let surplus = 0; // blank lines to remove, which repeat those before a removed line
  for (const { 0: newline, index } of text.matchAll(/\r?\n/g)) {
    const next = index + newline.length;
    const end = newline.length === 2 && cuts[index + 1] === 1 ? index + 1 : index; // a `\r` from another place
    let tail = end;
    while (tail > start && (text[tail - 1] === " " || text[tail - 1] === "\t")) tail--;
    const isBlank = tail === start;
    const isCut = cuts.subarray(tail, end + 1).includes(1);
    if (isBlank && (isCut || surplus > 0)) {
      surplus = isCut ? blankLines : surplus - 1;
      gone.fill(1, start, next);
    } else {
      if (isCut) gone.fill(1, tail, end);
      blankLines = isBlank ? blankLines + 1 : 0;
      surplus = 0;
    }
    start = next;
  }
}

/** The ranges of the input that stay. */
function left(pieces: readonly Range[], gone: Uint8Array): readonly Range[] {
  const ranges: { start: number; end: number }[] = [];
  let place = 0; // index in the joined text
  for (const { start, end } of pieces) {
    for (let at = start; at < end; at++) {
      if (gone[place++] === 1) continue;
      const last = ranges.at(-1);
      if (last?.end === at) last.end++;
      else ranges.push({ start: at, end: at + 1 });
    }
  }
  return ranges;
}
