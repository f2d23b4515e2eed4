// Files of one folder that prompts may name: the interface of the folder, and how a client uses it.
import { type Check, isObject } from "../checks.ts";
import { InvalidInputError, isAgentwireError, UnsupportedError } from "../errors.ts";

/** The most files that one prompt may name. The texts of more would fill the context of most models. */
export const MAX_PROMPT_FILES = 50;

/** The most paths of one `FileList`: more than a person reads. */
export const MAX_LISTED_FILES = 100;

/** Paths for a completion. */
export interface FileList {
  /**
   * Relative to the folder, with `/`, at most 100. The best match comes first. A folder ends with
   * `/`. Print each with `inert`: a name may have any character but `/` and NUL.
   */
  readonly paths: readonly string[];
  /** Whether there may be more: the list is full, or the folder is too large to be read to its end. */
  readonly more: boolean;
}

/** A file that a prompt names, after the folder's checks. */
export interface PromptFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** The absolute path. */
  readonly location: string;
  /** Absent if the file is not UTF-8 text, has over 1 MiB, or makes the prompt's files over 2 Mi characters. */
  readonly text?: string;
}

/** A folder whose files prompts may name: `nodeTools({ root })` of `agentwire/codebuff-run/tools`. */
export interface PromptFiles {
  /** The folder, as the app names it. */
  readonly root: string;
  /** Lists files whose paths fit what the user has typed. Leaves out files that may not be read. */
  readonly listFiles: (prefix: string, context: { readonly signal: AbortSignal }) => Promise<FileList>;
  /**
   * Checks and reads the files of a prompt, each once.
   * @throws InvalidInputError for a file that does not exist or may not be read
   */
  readonly promptFiles: (
    paths: readonly string[],
    context: { readonly signal: AbortSignal },
  ) => Promise<readonly PromptFile[]>;
}

/** Checks the option `files`. */
export const isPromptFiles: Check = {
  expects: "the tools of `nodeTools({ root })`",
  holds: (value) =>
    isObject(value) &&
    typeof value["root"] === "string" &&
    typeof value["listFiles"] === "function" &&
    typeof value["promptFiles"] === "function",
};

export interface FilesOptions {
  /** Aborting ends the search. The promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** @throws UnsupportedError without a folder */
export async function listPromptFiles(
  files: PromptFiles | undefined,
  prefix: string,
  { signal = new AbortController().signal }: FilesOptions,
): Promise<FileList> {
  if (!files) throw noFiles();
  return files.listFiles(prefix, { signal });
}

/**
 * Checks and reads the files of a prompt.
 * @throws InvalidInputError; the signal's reason
 */
export async function readPromptFiles(
  files: PromptFiles | undefined,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly PromptFile[]> {
  if (!files || paths.length === 0) return [];
  try {
    return await files.promptFiles(paths, { signal });
  } catch (cause) {
    if (signal.aborted || isAgentwireError(cause)) throw cause;
    throw new InvalidInputError("the files of the prompt cannot be read.", "See `cause`.", { cause });
  }
}

/** The files as parts of a prompt with texts. @throws InvalidInputError for a file without a text */
export function fileParts(
  files: readonly PromptFile[],
): readonly { readonly type: "file"; readonly name: string; readonly text: string }[] {
  return files.map(({ path: name, text }) => {
    if (text !== undefined) return { type: "file", name, text };
    throw new InvalidInputError(
      `the file ${JSON.stringify(name)} is not UTF-8 text, or too large for a prompt.`,
      "Send an image in `images`. Name a large file in the text, and the agent reads a part of it with its tools.",
    );
  });
}

export function noFiles(): UnsupportedError {
  return new UnsupportedError(
    "this client has no folder whose files a prompt may name.",
    "Leave `files` out, or name the files in the text. `capabilities.files` says whether a client has a folder.",
  );
}
