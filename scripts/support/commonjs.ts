// CommonJS gets the same modules as ES modules do: Node loads them with `require` since 22.12. An error of one is an error of the other.
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { readManifest, type Target } from "./manifest.ts";

/** Writes each `.cjs` file that "exports" of the `package.json` in `root` names. It loads the module beside it. */
export async function writeCommonJs(root: string): Promise<void> {
  for (const file of await exportedFiles(root, ".cjs")) {
    const code = `"use strict";\nmodule.exports = require("./${basename(file, ".cjs")}.js");\n`;
    await writeFile(join(root, file), code);
  }
}

/** The files of an ending, `.d.cts` for example, that "exports" of the `package.json` in `root` names. */
export async function exportedFiles(root: string, ending: string): Promise<readonly string[]> {
  const { exports } = await readManifest(root);
  return [...new Set(Object.values(exports).flatMap(filesOf))].filter((file) => file.endsWith(ending));
}

function filesOf(target: Target): readonly string[] {
  if (target === null) return [];
  return typeof target === "string" ? [target] : Object.values(target).flatMap(filesOf);
}
