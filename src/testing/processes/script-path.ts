// Finds a program of a mock in the package or the repository.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface FakeScript {
  readonly path: string;
  /** The environment variables that make it start fast. */
  readonly env: Readonly<Record<string, string>>;
}

/** The folder in `src/testing` of each program, by the name of its file in the package. */
const FOLDERS = { "fake-codebuff": "codebuff-cli", "mock-acp-agent": "acp" } as const;

const BUNDLED = "leave agentwire out of your bundle, so that its files stay together";

/**
 * Returns the path of a program. In the package, it is one file beside this module, without dependencies. In the
 * repository, it is several TypeScript files. Node runs them directly, and needs a compile cache to start fast.
 *
 * @throws Error if the program is in neither place, as in a bundle
 */
export function findScript(name: keyof typeof FOLDERS): FakeScript {
  const here: string | undefined = import.meta.url; // undefined in a bundle that is CommonJS
  if (here === undefined) throw new Error(`no program ${name}: ${BUNDLED}`);
  const isSource = here.endsWith(".ts");
  const path = fileURLToPath(
    new URL(isSource ? `../${FOLDERS[name]}/program/main.ts` : `./${name}.cjs`, here),
  );
  if (!existsSync(path)) {
    throw new Error(`no program ${name} at ${path}: ${BUNDLED}`);
  }
  return { path, env: isSource ? { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") } : {} };
}
