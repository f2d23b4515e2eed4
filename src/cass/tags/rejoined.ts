// Removes tags that arise when something in their middle is removed.
import { type Range, readTag } from "./scan.ts";

const LESS = 0x3c;
const GREATER = 0x3e;

/**
 * Removes the tags that arise only because something in their middle was removed, as in `<ges<gesture:wave>ture:nod>`. So the result
 * holds no tags, and cleaning it again changes nothing. Such tags have no meaning: no server reads them.
 *
 * Linear: text that was read as the body of a tag is removed, or is never read as part of a body again.
 */
export function withoutRejoined(input: string, pieces: readonly Range[]): readonly Range[] {
  if (pieces.length < 2) return pieces;
  const kept: Range[] = [];
  let open: Open[] = []; // each `<` that can still begin a tag
  for (const { start, end } of pieces) {
    let from = start;
    for (let at = start; at < end; at++) {
      const code = input.charCodeAt(at);
      if (code === LESS) {
        open.push({ at, before: kept.length, from });
      } else if (code === GREATER) {
        const last = open.pop();
        // If nothing was removed between `<` and `>`, the scanner has already checked that this is no tag.
        if (last && last.before < kept.length && isTag(input, last, kept, { start: from, end: at })) {
          kept.length = last.before;
          kept.push({ start: last.from, end: last.at });
          from = at + 1;
        } else {
          open = []; // a tag holds no `>`
        }
      }
    }
    kept.push({ start: from, end });
  }
  return kept.filter(({ start, end }) => start < end);
}

interface Open {
  readonly at: number;
  /** The number of kept ranges before the range of this `<`. `from` is the start of that range. */
  readonly before: number;
  readonly from: number;
}

function isTag(input: string, { at, before }: Open, kept: readonly Range[], rest: Range): boolean {
  const first = kept[before];
  if (!first) return false;
  const between = kept.slice(before + 1);
  const ranges = [{ start: at + 1, end: first.end }, ...between, rest];
  return readTag(textOfRanges(input, ranges)) !== undefined;
}

/** The text of the ranges, joined. */
export function textOfRanges(input: string, ranges: readonly Range[]): string {
  return ranges.map(({ start, end }) => input.slice(start, end)).join("");
}
