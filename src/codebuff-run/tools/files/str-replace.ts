// The tool `str_replace`: converts its input into an edit.
import { setImmediate } from "node:timers/promises";
import { type FileEdit, type Plan, refusedEdit } from "./edit.ts";
import { withLineFeeds } from "./lines.ts";
import { MAX_RESULT, MAX_TEXT_MATCHES, type Match, matchesOf } from "./matches.ts";
import { type FileText, NOT_TEXT, readText } from "./text.ts";
import { fileEdit, updated } from "./write-file.ts";

export interface StrReplaceInput {
  readonly path: string;
  readonly replacements: readonly GivenReplacement[];
}

/** In the spelling of either SDK version. */
export interface GivenReplacement {
  readonly old?: string;
  readonly new?: string;
  readonly oldString?: string;
  readonly newString?: string;
  /** @default false */
  readonly allowMultiple?: boolean;
}

export function strReplaceEdit({ path, replacements }: StrReplaceInput): FileEdit {
  return fileEdit(path, (file, signal) => {
    if (!file)
      return refusedEdit(
        "The file does not exist, skipping. Please use the write_file tool to create the file.",
      );
    const before = readText(file.bytes);
    return before
      ? replaceAll(path, before, replacements.map(readReplacement), signal)
      : refusedEdit(NOT_TEXT);
  });
}

function readReplacement(given: GivenReplacement): Replacement {
  const { oldString = "", newString = "", allowMultiple = false } = given;
  return given.old !== undefined && given.new !== undefined
    ? { old: given.old, new: given.new, allowMultiple }
    : { old: oldString, new: newString, allowMultiple };
}

async function replaceAll(
  path: string,
  before: FileText,
  replacements: readonly Replacement[],
  signal: AbortSignal,
): Promise<Plan> {
  const failures: string[] = [];
  let { text } = before;
  for (const replacement of replacements) {
    const result = replaced(text, replacement);
    if ("failure" in result) failures.push(result.failure);
    else text = result.text;
    await setImmediate(); // lets other work of this process run in between
    signal.throwIfAborted();
  }
  return text === before.text
    ? refusedEdit([...failures, "No change to the file"].join("\n\n"))
    : updated(path, before, text, [...failures, "Updated file"].join("\n\n"));
}

interface Replacement {
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
