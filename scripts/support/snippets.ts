import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Fence, readFences } from "./fences.ts";
import { listFiles } from "./list-files.ts";
import { type Mistake, type Region, readRegions } from "./regions.ts";

/** Where the code that the pages show stands, and is compiled. */
export const SNIPPETS = "docs/snippets";

/** The folders whose Markdown users read; `docs/api` is made by a tool. */
const PAGES: readonly string[] = ["", "docs/", "examples/"];

/** A Markdown page. */
export interface Page {
  readonly file: string;
  readonly text: string;
  readonly fences: readonly Fence[];
  readonly mistakes: readonly Mistake[];
}

/** A file of code that pages show regions of. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly regions: readonly Region[];
  readonly mistakes: readonly Mistake[];
}

/** The pages of the tree under `root`. */
export async function readPages(root: string): Promise<readonly Page[]> {
  const files: string[] = [];
  for (const folder of PAGES) {
    const names = await readdir(join(root, folder)).catch(() => []);
    files.push(...names.filter((name) => name.endsWith(".md")).map((name) => `${folder}${name}`));
  }
  return Promise.all(
    files.sort().map(async (file) => {
      const text = await readFile(join(root, file), "utf8");
      return { file, text, ...readFences(text) };
    }),
  );
}

/** The files of the tree under `root` that hold what its pages show. */
export async function readSources(root: string): Promise<readonly Source[]> {
  const names = await listFiles(join(root, SNIPPETS), (path) => /\.tsx?$/.test(path));
  return Promise.all(
    names.map(async (name) => {
      const file = `${SNIPPETS}/${name}`;
      const text = await readFile(join(root, file), "utf8");
      return { file, text, ...readRegions(text) };
    }),
  );
}
