import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import type { Door } from "../../../../src/codebuff-run/tools/door/door.ts";
import { type DoorOptions, openDoor } from "../../../../src/codebuff-run/tools/door/open-door.ts";
import {
  type CodeSearchInput,
  type CodeSearchOptions,
  codeSearch,
} from "../../../../src/codebuff-run/tools/search/code-search.ts";
import {
  type GlobInput,
  type GlobOptions,
  globFiles,
} from "../../../../src/codebuff-run/tools/search/glob.ts";

/** The engines, which must find the same. */
export const ENGINES = [
  { name: "ripgrep", options: { ripgrepPath: rgPath } },
  { name: "the worker", options: { engine: "worker" } },
] as const satisfies readonly { readonly name: string; readonly options: CodeSearchOptions }[];

export type Tree = Readonly<Record<string, string | Uint8Array>>;

export interface SearchWorld extends AsyncDisposable {
  /** Beside `root` in it, for what is outside. */
  readonly base: string;
  readonly root: string;
  readonly door: Door;
  search(input: Partial<CodeSearchInput>, options?: CodeSearchOptions, signal?: AbortSignal): Promise<object>;
  glob(input: GlobInput, options?: GlobOptions, signal?: AbortSignal): Promise<object>;
}

export async function writeTree(root: string, tree: Tree): Promise<void> {
  for (const [path, content] of Object.entries(tree)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

/** A folder with files, and the tools in it. */
export async function searchWorld(tree: Tree, options: Partial<DoorOptions> = {}): Promise<SearchWorld> {
  const base = await mkdtemp(join(tmpdir(), "search-"));
  const root = join(base, "root");
  await mkdir(root);
  await writeTree(root, tree);
  const door = await openDoor({ root, ...options });
  const job = (signal = new AbortController().signal) => ({
    door,
    changes: { note: () => {}, saw: () => {}, isStale: () => false },
    signal,
    onProgress: () => {},
  });
  return {
    base,
    root,
    door,
    search: (input, searchOptions = {}, signal) =>
      codeSearch({ allowFlags: true, ...searchOptions })(
        { pattern: "needle", maxResults: 15, ...input },
        job(signal),
      ),
    glob: (input, globOptions, signal) => globFiles(globOptions)(input, job(signal)),
    async [Symbol.asyncDispose]() {
      await door.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}
