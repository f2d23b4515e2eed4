// The tool `read_files`, and texts by path for a server.
import type { Door } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import type { ToolJob } from "../job.ts";
import { MAX_EDITED } from "./edit.ts";
import { locatePath, readExisting } from "./location.ts";
import { readText } from "./text.ts";

export interface ReadFilesInput {
  readonly paths: readonly (string | FilePart)[];
}

export interface FilePart {
  readonly path: string;
  /** The first line, starting at 1. @default 1 */
  readonly offset?: number;
  /** Number of lines. @default all */
  readonly limit?: number;
}

/** Bytes of a whole file, or of the requested lines of a larger file. As in Codebuff's client. */
export const MAX_READ = 1_048_576;

/** Characters of all files in one call: about 500,000 tokens. */
export const MAX_TOTAL = 2 * MAX_READ;

/** Reads each file once, in order. An unreadable file has a marker as content. */
export async function readFiles({ paths }: ReadFilesInput, job: ToolJob): Promise<readonly object[]> {
  const parts = new Map<string, FilePart>();
  for (const given of paths) {
    const part = typeof given === "string" ? { path: given } : given;
    const { offset, limit } = part;
    const key = JSON.stringify([nameOf(part.path, job), offset, limit]);
    if (!parts.has(key)) parts.set(key, part);
  }
  const results: object[] = [];
  let left = MAX_TOTAL;
  for (const part of parts.values()) {
    const { path } = part;
    if (job.signal.aborted) results.push({ path, content: "[FILE_READ_ERROR] [interrupted]" });
    else {
      const content = await contentOf(part, job);
      const fits = content.length <= left;
      if (fits) left -= content.length;
      results.push(fits ? { path, content } : { path, contentOmittedForLength: true });
    }
  }
  return results;
}

function nameOf(path: string, { door }: ToolJob): string {
  try {
    return door.resolve(path, "read");
  } catch (error) {
    if (error instanceof Refusal) return path;
    throw error;
  }
}

async function contentOf({ path, offset, limit }: FilePart, { door, changes }: ToolJob): Promise<string> {
  const isPart = offset !== undefined || limit !== undefined;
  try {
    const asked = door.resolve(path, "read");
    const location = await locatePath(door, asked);
    const file = await readExisting(door, asked, isPart ? MAX_EDITED : MAX_READ);
    changes.saw(location.path, file?.stamp);
    if (!file) return "[FILE_DOES_NOT_EXIST]";
    const text = readText(file.bytes)?.raw;
    if (text === undefined) return "[FILE_READ_ERROR] [not UTF-8 text]";
    const shown = isPart ? linesOf(text, offset, limit) : text;
    if (isPart && shown.length > MAX_READ) return tooLarge(BigInt(shown.length));
    return (await door.status(asked, "file")) === "allow-example" ? `[TEMPLATE]\n${shown}` : shown;
  } catch (error) {
    if (error instanceof Refusal) return markerOf(error);
    throw error;
  }
}

function linesOf(text: string, offset = 1, limit = Infinity): string {
  let start = 0;
  for (let line = 1; line < offset && start < text.length; line++) start = lineEnd(text, start);
  let end = start;
  for (let line = 0; line < limit && end < text.length; line++) end = lineEnd(text, end);
  return text.slice(start, end);
}

function lineEnd(text: string, from: number): number {
  return text.indexOf("\n", from) + 1 || text.length;
}

function markerOf({ reason, size }: Refusal): string {
  switch (reason) {
    case "outside":
      return "[FILE_OUTSIDE_PROJECT]";
    case "blocked":
      return "[BLOCKED]";
    case "missing":
      return "[FILE_DOES_NOT_EXIST]";
    case "too-large":
      return tooLarge(size);
    case "invalid":
    case "protected":
    case "exists":
    case "link":
    case "not-a-file":
    case "not-a-folder":
    case "changed":
    case "failed":
      return "[FILE_READ_ERROR]";
  }
}

function tooLarge(size: bigint | undefined): string {
  return `[FILE_TOO_LARGE]${size === undefined ? "" : ` [${(Number(size) / 1_048_576).toFixed(2)}MB]`}`;
}

/** Reads each file once. `null`: missing, not text, over the limit of all files, or blocked. */
export async function textsOf(
  door: Door,
  paths: readonly string[],
): Promise<Readonly<Record<string, string | null>>> {
  const texts = new Map<string, string | null>();
  let left = MAX_TOTAL;
  // One by one: a server may request many.
  for (const path of new Set(paths)) {
    const text = await readableText(door, path);
    const fits = text !== null && text.length <= left;
    if (fits) left -= text.length;
    texts.set(path, fits ? text : null);
  }
  return Object.fromEntries(texts);
}

/** The text of a file. `null`: missing, not text, over the limit, or blocked. */
export async function readableText(
  door: Door,
  path: string,
  maxBytes: number = MAX_READ,
): Promise<string | null> {
  try {
    const file = await readExisting(door, door.resolve(path, "read"), maxBytes);
    return (file && readText(file.bytes)?.raw) ?? null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
