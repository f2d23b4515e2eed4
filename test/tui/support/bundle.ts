import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What an app installs beside this package, and what this package depends on. */
const PACKAGES = ["ink", "react", "ws", "isomorphic-ws"];

const made = new Map<string, Promise<string>>();

/** The program and the sources of the library as one file, which starts in half the time. Made once for each test file. */
export function bundleOf(program: string): Promise<string> {
  const bundle = made.get(program) ?? makeBundle(program);
  made.set(program, bundle);
  return bundle;
}

async function makeBundle(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "agentwire-tui-bundle-"));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir");
  const outfile = join(folder, "program.mjs");
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    jsx: "automatic",
    external: PACKAGES,
    tsconfig: join(ROOT, "tsconfig.json"),
    logLevel: "error",
  });
  return outfile;
}

afterAll(async () => {
  for (const bundle of made.values()) await rm(join(await bundle, ".."), { recursive: true });
});
