import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { listFiles } from "../support/list-files.ts";
import { packageName, readManifest } from "../support/manifest.ts";
import { readImports } from "../support/read-imports.ts";
import type { Check, Finding } from "./finding.ts";

/** What `dist/` imports is in "dependencies", and nothing else is. */
export const dependencies: Check = async (root, note) => {
  const manifest = await readManifest(root);
  const findings: Finding[] = [];
  const report = (file: string, message: string, line?: number) => {
    findings.push({ file, message, line });
  };
  const imported = new Set<string>();
  const files = await listFiles(join(root, "dist"), (path) => /\.c?js$/.test(path));
  for (const path of files) {
    const file = `dist/${path}`;
    const text = await readFile(join(root, file), "utf8");
    for (const { specifier, line } of readImports(file, text)) {
      if (specifier === undefined || /^[.#]/.test(specifier) || isBuiltin(specifier)) continue;
      const name = packageName(specifier);
      imported.add(name);
      if (Object.hasOwn(manifest.dependencies, name) || Object.hasOwn(manifest.peerDependencies, name))
        continue;
      report(
        file,
        `imports "${specifier}", which users do not have: bundle it, or add it to "dependencies"`,
        line,
      );
    }
  }
  for (const name of Object.keys(manifest.dependencies)) {
    if (imported.has(name)) continue;
    report(
      "package.json",
      `"${name}" is in "dependencies", and dist/ does not import it: move it to "devDependencies"`,
    );
  }
  note(`${[...imported].sort().join(", ")} imported`);
  return findings;
};
