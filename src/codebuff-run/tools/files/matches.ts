// Finds an old text in a file: exactly, or with other white space.
import { codesOf, occurrences } from "./occurrences.ts";

export interface Match {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Characters of the edited text. Many replacements can make it very long. */
export const MAX_RESULT = 10 * 1_048_576;

/** Matches of one text. Each takes about 50 bytes. */
export const MAX_TEXT_MATCHES = 100_000;

/** Finds `old` exactly, else indented, else without white space. At most `MAX_TEXT_MATCHES` + 1 matches. */
export function matchesOf(text: string, old: string, replacement: string): readonly Match[] {
  const codes = codesOf(text);
  const exact = apart(matchesIn(codes, old, replacement));
  if (exact.length > 0) return exact;
  const deeper = indentedMatches(text, codes, old, replacement);
  return deeper.length > 0 ? deeper : looseMatches(codes, old, replacement);
}

function* matchesIn(text: Uint16Array, old: string, replacement: string): Generator<Match> {
  for (const start of occurrences(text, codesOf(old)))
    yield { start, end: start + old.length, text: replacement };
}

/** Indentations to try. Each one reads the whole text. */
const MAX_INDENTATIONS = 16;

/** Handles a model that left out the common indentation of `old`. Indents the replacement, too. */
function indentedMatches(
  text: string,
  codes: Uint16Array,
  old: string,
  replacement: string,
): readonly Match[] {
  const lines = old.split("\n");
  const place = lines.findIndex((line) => line.trim() !== "");
  const first = lines[place];
  // The last line may match inside a line. The exact search has tried this.
  if (first === undefined || place === lines.length - 1) return [];
  const found: Match[] = [];
  for (const indentation of indentationsOf(text, first)) {
    const pattern = indented(lines, indentation, text.length);
    const own = indented(replacement.split("\n"), indentation, MAX_RESULT);
    if (pattern === undefined || own === undefined) continue;
    for (const match of matchesIn(codes, pattern, own))
      if ((match.start === 0 || text[match.start - 1] === "\n") && found.push(match) > MAX_TEXT_MATCHES)
        break;
  }
  return apart(found.sort((a, b) => a.start - b.start));
}

function indentationsOf(text: string, line: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let start = 0; start < text.length && found.size < MAX_INDENTATIONS; ) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    const depth = end - start - line.length;
    if (depth > 0 && text.endsWith(line, end)) {
      const before = text.slice(start, start + depth);
      if (/^[ \t]+$/.test(before)) found.add(before);
    }
    start = end + 1;
  }
  return found;
}

function indented(lines: readonly string[], indentation: string, limit: number): string | undefined {
  let length = lines.length - 1;
  for (const line of lines) length += line === "" ? 0 : indentation.length + line.length;
  if (length > limit) return undefined;
  return lines.map((line) => (line === "" ? "" : indentation + line)).join("\n");
}

function looseMatches(all: Uint16Array, old: string, replacement: string): readonly Match[] {
  const pattern = codesOf(old).filter((code) => !isSpace(code));
  if (pattern.length === 0) return [];
  const places = new Int32Array(all.length);
  const solid = new Uint16Array(all.length);
  let count = 0;
  for (let at = 0; at < all.length; at++) {
    const code = all[at] ?? 0;
    if (isSpace(code)) continue;
    solid[count] = code;
    places[count++] = at;
  }
  const codes = solid.subarray(0, count);
  const before = feedsAround(old, 0, 1);
  const behind = feedsAround(old, old.length - 1, -1);
  const found: Match[] = [];
  let last = 0;
  for (const at of occurrences(codes, pattern)) {
    const first = places[at] ?? 0;
    const end = (places[at + pattern.length - 1] ?? 0) + 1;
    // `x = 1` must not match in `max=10`.
    if (first < last || isInWord(all, first) || isInWord(all, end)) continue;
    const start = before === undefined ? first : widened(all, first - 1, -1, before) + 1;
    const stop = behind === undefined ? end : widened(all, end, 1, behind);
    found.push({ start: Math.max(start, last), end: stop, text: replacement });
    last = stop;
    if (found.length > MAX_TEXT_MATCHES) break;
  }
  return found;
}

/** Line feeds in the white space at one end of `old`; `undefined`: no white space there. */
function feedsAround(old: string, from: number, step: 1 | -1): number | undefined {
  if (!isSpace(old.charCodeAt(from))) return undefined;
  let feeds = 0;
  for (let at = from; isSpace(old.charCodeAt(at)); at += step) if (old[at] === "\n") feeds++;
  return feeds;
}

/** Extends a match over white space, up to `feeds` lines. Returns the first position outside. */
function widened(codes: Uint16Array, from: number, step: 1 | -1, feeds: number): number {
  let at = from;
  for (let left = feeds; at >= 0 && at < codes.length && isSpace(codes[at]); at += step)
    if (codes[at] === FEED && left-- === 0) break;
  return at;
}

function isInWord(codes: Uint16Array, at: number): boolean {
  return at > 0 && at < codes.length && isWord(codes[at - 1]) && isWord(codes[at]);
}

function apart(matches: Iterable<Match>): readonly Match[] {
  const found: Match[] = [];
  let last = 0;
  for (const match of matches) {
    if (match.start < last) continue;
    last = match.end;
    if (found.push(match) > MAX_TEXT_MATCHES) break;
  }
  return found;
}

const FEED = 10;

const SPACE = /\s/;

function isSpace(code: number | undefined): boolean {
  if (code === undefined) return false;
  return code < 128 ? code === 32 || (code >= 9 && code <= 13) : SPACE.test(String.fromCharCode(code));
}

const WORD = /[\p{L}\p{N}_$]/u;

function isWord(code: number | undefined): boolean {
  return code !== undefined && WORD.test(String.fromCharCode(code));
}
