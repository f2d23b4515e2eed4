// The files that a prompt names: checked and read through the door.
import { resolve } from "node:path";
import { InvalidInputError } from "../../../core/errors.ts";
import type { PromptFile } from "../../../core/turn/prompt-files.ts";
import type { Door } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import { MAX_READ, MAX_TOTAL } from "./read-files.ts";
import { readText } from "./text.ts";

/**
 * Each file once, in order. A file over 1 MiB, or over 2 MiB together with those before it, has no text.
 * @param root the folder, as the app names it
 * @throws InvalidInputError for a file that does not exist or may not be used
 */
export async function promptFiles(
  door: Door,
  root: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly PromptFile[]> {
  const files = new Map<string, PromptFile>();
  let left = MAX_TOTAL;
  for (const given of paths) {
    signal.throwIfAborted();
    try {
      const path = door.resolve(given, "read");
      if (files.has(path)) continue;
      const text = await textOf(door, path);
      const fits = text !== undefined && text.length <= left;
      if (fits) left -= text.length;
      files.set(path, { path, location: resolve(root, path), ...(fits ? { text } : {}) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new InvalidInputError(
        `the prompt names a file that cannot be used. ${error.message}`,
        "Leave it out of `files`.",
      );
    }
  }
  return [...files.values()];
}

/** Undefined if the file is too large or not UTF-8 text. @throws Refusal if it may not be used */
async function textOf(door: Door, path: string): Promise<string | undefined> {
  try {
    return readText((await door.readFile(path, { maxBytes: MAX_READ })).bytes)?.raw;
  } catch (error) {
    if (error instanceof Refusal && error.reason === "too-large") return undefined;
    throw error;
  }
}
