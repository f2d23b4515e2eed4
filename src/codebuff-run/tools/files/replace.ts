// Applies one replacement of `str_replace` to a text.
import { withLineFeeds } from "./lines.ts";
import { MAX_RESULT, MAX_TEXT_MATCHES, type Match, matchesOf } from "./matches.ts";

export interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly allowMultiple: boolean;
}

/** Characters of `old` in an error. The history repeats the error in each request. */
const MAX_QUOTED = 2_000;

/** Applies one replacement in linear time, or returns the error. */
export function replaced(
  text: string,
  replacement: Replacement,
): { readonly text: string } | { readonly failure: string } {
  const old = withLineFeeds(replacement.old);
  const matches = matchesOf(text, old, withLineFeeds(replacement.new));
  if (matches.length === 0)
    return {
      failure: `The old string ${quoted(old)} was not found in the file, skipping. Please try again with a different old string that matches the file content exactly.`,
    };
  if (matches.length > MAX_TEXT_MATCHES)
    return {
      failure: `Found more than ${MAX_TEXT_MATCHES} occurrences of ${quoted(old)} in the file, skipping.`,
    };
  if (matches.length > 1 && !replacement.allowMultiple)
    return {
      failure: `Found ${matches.length} occurrences of ${quoted(old)} in the file. Please try again with a longer (more specified) old string or set allowMultiple to true.`,
    };
  const length = matches.reduce(
    (sum, { start, end, text: own }) => sum - (end - start) + own.length,
    text.length,
  );
  if (length > MAX_RESULT && length > text.length)
    return { failure: `The file would be longer than ${MAX_RESULT} characters, skipping ${quoted(old)}.` };
  return { text: spliced(text, matches) };
}

function spliced(text: string, matches: readonly Match[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, text: own } of matches) {
    parts.push(text.slice(done, start), own);
    done = end;
  }
  return parts.join("") + text.slice(done);
}

function quoted(text: string): string {
  return JSON.stringify(text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`);
}
