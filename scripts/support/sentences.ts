import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { listFiles } from "./list-files.ts";

/** A file of `src/` and what it is for, in the words of its first line. */
export interface Described {
  /** Relative to the root of the tree, with forward slashes. */
  readonly file: string;
  /** The text of the comment; `undefined`: the file begins with something else. */
  readonly sentence: string | undefined;
}

/** Every file of `src/`, the folders of a folder before its files. */
export async function describedFiles(root: string): Promise<readonly Described[]> {
  const paths = await listFiles(join(root, "src"), (path) => /\.tsx?$/.test(path));
  const files = paths.map((path) => posix.join("src", path)).sort(foldersFirst);
  return Promise.all(
    files.map(async (file) => ({ file, sentence: sentenceIn(await readFile(join(root, file), "utf8")) })),
  );
}

/** The `//` comment in the first line of a text. A program may have the line that names its interpreter before. */
function sentenceIn(text: string): string | undefined {
  return /^(?:#!.*\n)?\/\/ (.*\S)/.exec(text)?.[1];
}

function foldersFirst(one: string, other: string): number {
  const ones = one.split("/");
  const others = other.split("/");
  const at = ones.findIndex((name, index) => name !== others[index]);
  const isFile = (names: readonly string[]): number => (names.length === at + 1 ? 1 : 0);
  const [a = "", b = ""] = [ones[at], others[at]];
  return isFile(ones) - isFile(others) || (a < b ? -1 : 1);
}
