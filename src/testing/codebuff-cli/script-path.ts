// Finds the fake program in the package or the repository.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface FakeScript {
  readonly path: string;
  /** The environment variables that make it start fast. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns the path of the script. In the package, it is one file beside this module, without dependencies. In the
 * repository, it is several TypeScript files. Node runs them directly, and needs a compile cache to start fast.
 *
 * @throws Error if the script is in neither place, as in a bundle
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
