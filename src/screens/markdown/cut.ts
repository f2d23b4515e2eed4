// Where a long paragraph can be cut.
import { isHighSurrogate } from "../../core/text.ts";
import { readInline } from "./inline.ts";

/**
 * A place in the second half of the text, best at the start of its last line, or behind a space; not inside what is marked, and before marks
 * that still wait for their other half.
 */
export function cutOf(text: string, before: string): number {
  const half = text.length >> 1;
  let limit = text.length;
  const pairs: (readonly [from: number, to: number])[] = [];
  readInline(text, {
    before,
    trace: {
      pair: (from, to) => void pairs.push([from, to]),
      lone: (at) => {
        if (at >= half) limit = Math.min(limit, at);
      },
    },
  });
  const inOrder = pairs.sort((one, other) => other[1] - one[1]);
  const lastLine = text.lastIndexOf("\n", limit - 1) + 1;
  const places = [
    lastLine > half ? outside(inOrder, lastLine, (at) => text.lastIndexOf("\n", at - 1) + 1) : 0,
    outside(inOrder, limit, (at) => spaceBefore(text, at)),
    outside(inOrder, limit, (at) => at),
  ];
  return places.find((at) => at >= half) ?? wholeCharacters(text, limit);
}

/**
 * A place behind which nothing can change the text before it: at the start of the last line, or behind a space, before
 * the first mark that waits for its other half, and before a line that may become the head of a table. 0 if there is none.
 */
export function settledPlace(text: string, before: string): number {
  let limit = text.length;
  const pairs: (readonly [from: number, to: number])[] = [];
  readInline(text, {
    before,
    trace: {
      pair: (from, to) => void pairs.push([from, to]),
      lone: (at) => {
        limit = Math.min(limit, at);
      },
    },
  });
  const inOrder = pairs.sort((one, other) => other[1] - one[1]);
  const lastLine = text.lastIndexOf("\n") + 1;
  if (text.includes("|", lastLine)) limit = Math.min(limit, lastLine);
  const isLine = lastLine > text.length >> 1 && lastLine <= limit;
  return outside(inOrder, isLine ? lastLine : limit, (at) => spaceBefore(text, at));
}

/** The last place up to `limit` that is in none of the pairs. `pairs`: the last to end comes first. */
function outside(
  pairs: readonly (readonly [number, number])[],
  limit: number,
  place: (before: number) => number,
): number {
  let at = place(limit);
  for (const [from, to] of pairs) if (from < at && at < to) at = place(from);
  return at;
}

function spaceBefore(text: string, limit: number): number {
  for (let at = limit; at > 0; at -= 1) {
    const code = text.charCodeAt(at - 1);
    if (code === 32 || code === 10 || code === 9) return at;
  }
  return 0;
}

/** Not between the two halves of a character. */
function wholeCharacters(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at;
}
