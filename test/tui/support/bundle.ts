import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { BUILD } from "../../helpers/sources.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What the package depends on. Bundled CommonJS packages need a `require`. */
const PACKAGES = ["ws", "isomorphic-ws"];
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
/** Ink needs it only with `DEV=true`, and apps do not install it. */
const NOT_INSTALLED = "react-devtools-core";

/**
 * The program, the sources of the library, Ink and React as one file, which starts in a third of the time. Made once for all tests of
 * a run.
 */
export async function bundleOf(program: string): Promise<string> {
  const name = createHash("sha256").update(program).digest("hex");
  const file = join(process.env[BUILD] ?? "", `${name}.mjs`);
  if (existsSync(file)) return file;
  const half = `${file}.${process.pid}`; // other workers may make it too
  await build({
    entryPoints: [program],
    outfile: half,
    bundle: true,
    platform: "node",
    format: "esm",
    jsx: "automatic",
    external: PACKAGES,
    alias: { [NOT_INSTALLED]: "node:events" },
    banner: { js: REQUIRE },
    nodePaths: [join(ROOT, "node_modules")],
    tsconfig: join(ROOT, "tsconfig.json"),
    logLevel: "error",
  });
  await rename(half, file);
  return file;
}
