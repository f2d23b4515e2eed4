// Finds the lines of a text that match a pattern.
import { addRange, type LineRange } from "../hits.ts";

/** Finds up to `limit` matching lines. A trailing line feed starts no new line. */
export function findLines(text: string, pattern: RegExp, limit: number): readonly LineRange[] {
  const found: LineRange[] = [];
  let number = 1;
  for (let from = 0; from < text.length && found.length < limit; number++) {
    const feed = text.indexOf("\n", from);
    const to = feed < 0 ? text.length : feed;
    if (pattern.test(text.slice(from, to))) found.push({ first: number, last: number });
    from = to + 1;
  }
  return found;
}

/** Finds matches across lines, and joins adjacent ranges. `pattern` must be global. */
export function findRanges(text: string, pattern: RegExp, limit: number): readonly LineRange[] {
  const found: LineRange[] = [];
  let number = 1;
  let lineFrom = 0;
  /** The line of a position. Linear, because positions only grow. */
  const lineOf = (position: number): number => {
    for (;;) {
      const feed = text.indexOf("\n", lineFrom);
      if (feed < 0 || feed >= position) return number;
      number++;
      lineFrom = feed + 1;
    }
  };
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (!match || match.index >= text.length) break;
    const { length } = match[0];
    const first = lineOf(match.index);
    // A trailing line feed belongs to its own line.
    const last = length === 0 ? first : lineOf(match.index + length - 1);
    if (!addRange(found, { first, last }, limit)) break;
    if (length === 0) pattern.lastIndex += (text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1;
  }
  return found;
}
