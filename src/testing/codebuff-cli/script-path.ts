// Finds the fake program in the package or the repository.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface FakeScript {
  readonly path: string;
  /** What it needs in its environment to start fast. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The script stands beside this module in the package, where it is one file without dependencies. In the repository it
 * is TypeScript in many, which Node reads by itself but slowly, unless it may keep what it made of them.
 *
 * @throws Error when it is in neither place, as in a bundle.
 */
export function findScript(): FakeScript {
  const here = import.meta.url;
  const isSource = here.endsWith(".ts");
  const path = fileURLToPath(new URL(isSource ? "./program/main.ts" : "./fake-codebuff.cjs", here));
  if (!existsSync(path)) {
    throw new Error(
      `no fake CLI at ${path}: leave agentwire out of your bundle, so that its files stay together`,
    );
  }
  return { path, env: isSource ? { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") } : {} };
}
