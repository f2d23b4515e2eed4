// Builds the package once for all tests of a run. A program in a process of its own starts from it in half the time that it takes
// to start from the sources. Vitest runs this before the tests.
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import type { TestProject } from "vitest/node";
import { readManifest } from "../../scripts/support/manifest.ts";
import { BUILD, builtName, PROGRAM, SOURCES } from "./sources.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SCHEMAS = "agentwire/schemas";

let folder: string | undefined;

export async function setup(project: TestProject): Promise<void> {
  const made = await mkdtemp(join(tmpdir(), "agentwire-build-"));
  folder = made;
  process.env[BUILD] = made;
  process.env["NODE_COMPILE_CACHE"] = join(made, "compiled");
  await buildIn(made);
  project.onTestsRerun(() => buildIn(made)); // in watch mode
}

export async function teardown(): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, maxRetries: 3 });
}

/** Builds into an empty folder: also what tests have bundled there is of the sources of before. */
async function buildIn(outdir: string): Promise<void> {
  await rm(outdir, { recursive: true });
  await mkdir(outdir);
  await symlink(join(ROOT, "node_modules"), join(outdir, "node_modules"), "dir");
  const { dependencies, peerDependencies } = await readManifest(ROOT);
  const users = Object.keys({ ...dependencies, ...peerDependencies });
  const shared = {
    absWorkingDir: ROOT,
    outdir,
    bundle: true,
    platform: "node",
    target: "es2022",
    tsconfig: join(ROOT, "tsconfig.json"),
    logLevel: "error",
  } satisfies BuildOptions;
  const modules = { ...shared, format: "esm", outExtension: { ".js": ".mjs" } } satisfies BuildOptions;
  const scripts = { ...shared, format: "cjs", outExtension: { ".js": ".cjs" } } satisfies BuildOptions;
  const entries = Object.entries(SOURCES).flatMap(([entry, source]): [string, string][] =>
    entry.startsWith("#") ? [] : [[builtName(entry), source]],
  );
  const isSchemas = ([name]: readonly [string, string]): boolean => name === builtName(SCHEMAS);
  await Promise.all([
    // As in the package: zod is bundled, but for the entry whose schemas the user composes with schemas of zod.
    build({
      ...modules,
      entryPoints: {
        ...Object.fromEntries(entries.filter((entry) => !isSchemas(entry))),
        [PROGRAM]: join(ROOT, "src/program/main.ts"),
      },
      splitting: true,
      external: users.filter((name) => name !== "zod"),
    }),
    build({ ...modules, entryPoints: Object.fromEntries(entries.filter(isSchemas)), external: users }),
    build({
      ...scripts,
      entryPoints: {
        "fake-codebuff": join(ROOT, "src/testing/codebuff-cli/program/main.ts"),
        "mock-acp-agent": join(ROOT, "src/testing/acp/program/main.ts"),
        "search-worker": join(ROOT, "src/codebuff-run/tools/search/matching/worker.ts"),
      },
    }),
  ]);
}
