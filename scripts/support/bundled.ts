// The packages whose code the build puts into dist/: tsup writes them down from esbuild's metafile, a check reads them.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile, Plugin } from "esbuild";
import * as z from "zod/mini";
import { listFiles } from "./list-files.ts";

/** Not in dist/, where all is published. */
const FOLDER = ".tmp/bundled";

const names = z.array(z.string());

/** Writes down what one of the builds bundles. */
export function noteBundled(build: string): Plugin {
  return {
    name: "note-bundled",
    setup({ onEnd }) {
      onEnd(async ({ metafile }) => {
        if (!metafile) return;
        await mkdir(FOLDER, { recursive: true });
        await writeFile(join(FOLDER, `${build}.json`), JSON.stringify(packagesIn(metafile)));
      });
    },
  };
}

/** The packages that the last build of the tree under `root` has put into dist/, sorted. */
export async function bundledPackages(root: string): Promise<readonly string[]> {
  const folder = join(root, FOLDER);
  const files = await listFiles(folder, (path) => path.endsWith(".json")).catch(() => []);
  const lists = await Promise.all(files.map(async (file) => readFile(join(folder, file), "utf8")));
  return [...new Set(lists.flatMap((text) => names.parse(JSON.parse(text))))].sort();
}

/** An input of which nothing is left in the output is not bundled. */
function packagesIn({ outputs }: Metafile): readonly string[] {
  const found = new Set<string>();
  for (const { inputs } of Object.values(outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const [, name] = /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
      if (name !== undefined && bytesInOutput > 0) found.add(name);
    }
  return [...found].sort();
}
