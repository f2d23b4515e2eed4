import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { listFiles } from "../support/list-files.ts";
import { packageName, readManifest } from "../support/manifest.ts";
import { readImports } from "../support/read-imports.ts";
import type { Check, Finding } from "./finding.ts";

/** How esbuild marks where bundled code is from. */
const BUNDLED = /^\s*\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm;

/**
 * What `dist/` imports is in "dependencies", and nothing else is. What `dist/` holds of other packages is not installed
 * besides, and NOTICE names its licence.
 */
export const dependencies: Check = async (root, note) => {
  const manifest = await readManifest(root);
  const findings: Finding[] = [];
  const report = (file: string, message: string, line?: number) => {
    findings.push({ file, message, line });
  };
  const imported = new Set<string>();
  const bundled = new Set<string>();
  const files = await listFiles(join(root, "dist"), (path) => /\.c?js$/.test(path));
  for (const path of files) {
    const file = `dist/${path}`;
    const text = await readFile(join(root, file), "utf8");
    for (const [, name = ""] of text.matchAll(BUNDLED)) bundled.add(name);
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
  const notice = await readFile(join(root, "NOTICE"), "utf8");
  for (const name of bundled) {
    if (notice.split("\n").some((line) => line.trim().startsWith(`${name} `))) continue;
    report("NOTICE", `does not name ${name}, whose code is in dist/`);
  }
  if (bundled.size === 0) report("dist", "marks no code as bundled: there is nothing to compare NOTICE with");
  note(`${[...imported].sort().join(", ")} imported; ${[...bundled].sort().join(", ")} bundled`);
  return findings;
};
