import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";

/** kB that a page downloads, minified and gzipped, when its bundler makes files of their own for `import()`. */
export interface Page {
  /** The entry, and all that it imports statically: no line of the program runs before. */
  readonly first: number;
  /** With all that it may import later. */
  readonly whole: number;
}

/** Bundles `program` as the app of a page would, resolving packages from `folder`. @throws if it does not bundle */
export async function bundlePage(folder: string, program: string): Promise<Page> {
  const sourcefile = "app.js";
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: folder, sourcefile },
    absWorkingDir: folder,
    outdir: folder, // nothing is written: the names of the files are relative to it
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    metafile: true,
    write: false,
    logLevel: "silent", // esbuild warns of each bare import between the files of dist/
    tsconfigRaw: {}, // else the tree's own tsconfig, which leads the packages' names to src/, would be read
  });
  const names = Object.keys(metafile.outputs); // in the order of `outputFiles`
  const sizes = new Map(
    outputFiles.map(({ contents }, at) => [names[at] ?? "", gzipSync(contents, { level: 9 }).byteLength]),
  );
  const entry = names.find((name) => metafile.outputs[name]?.entryPoint === sourcefile) ?? "";
  const total = (files: Iterable<string>): number =>
    [...files].reduce((sum, name) => sum + (sizes.get(name) ?? Number.NaN), 0) / 1_000;
  return { first: total(reachable(metafile, entry)), whole: total(names) };
}

/** The files that are loaded with a file. */
function reachable({ outputs }: Metafile, entry: string): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const name of found) {
    for (const { path, kind, external } of outputs[name]?.imports ?? [])
      if (kind === "import-statement" && !external) found.add(path);
  }
  return found;
}
