import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { type Manifest, resolveTarget } from "./manifest.ts";
import { readImports } from "./read-imports.ts";

/** An import that a walk through built files met. */
export interface Edge {
  /** The file that imports, relative to the package. */
  readonly file: string;
  readonly line: number;
  /** As written; `undefined` for a name that is computed at run time. */
  readonly specifier: string | undefined;
  /** The file of the package that it leads to; `undefined` when it leaves the package. */
  readonly target: string | undefined;
  /** Whether `target` is there to be read. */
  readonly exists: boolean;
}

/**
 * Follows the imports of built files from `entry`, static and dynamic ones alike, through relative paths
 * and the package's own `imports`, as a resolver with `conditions` would. Linear: a file is read once.
 */
export async function walkChunks(
  root: string,
  manifest: Manifest,
  entry: string,
  conditions: ReadonlySet<string>,
): Promise<readonly Edge[]> {
  const edges: Edge[] = [];
  const seen = new Map<string, string | undefined>([[entry, await read(join(root, entry))]]);
  for (const [file, text] of seen) {
    for (const record of readImports(file, text ?? "")) {
      const { specifier, line } = record;
      const target = resolve(manifest, file, specifier, conditions);
      // A map that grows while it is iterated hands out the new entries too: this is the queue.
      if (target !== undefined && !seen.has(target)) seen.set(target, await read(join(root, target)));
      const exists = target !== undefined && seen.get(target) !== undefined;
      edges.push({ file, line, specifier, target, exists });
    }
  }
  return edges;
}

function resolve(
  manifest: Manifest,
  file: string,
  specifier: string | undefined,
  conditions: ReadonlySet<string>,
): string | undefined {
  if (specifier?.startsWith(".")) return posix.join(posix.dirname(file), specifier);
  if (!specifier?.startsWith("#")) return undefined;
  const target = resolveTarget(manifest.imports[specifier], conditions);
  return target === undefined ? undefined : posix.normalize(target);
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
