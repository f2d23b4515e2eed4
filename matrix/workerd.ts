import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { NONE, outcomeOf, type Row } from "./outcome.ts";
import { MATRIX } from "./place.ts";

/** What this uses of miniflare. */
interface MiniflareModule {
  readonly Miniflare: new (
    options: object,
  ) => {
    dispatchFetch(url: string, init: object): Promise<{ text(): Promise<string> }>;
    dispose(): Promise<void>;
  };
}

/** The program in a Worker, bundled as wrangler does. */
export async function workerdRow(folder: string, addresses: string): Promise<Row> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["worker.mjs"],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    tsconfigRaw: {},
    logLevel: "silent",
  });
  const { Miniflare } = await load<MiniflareModule>("miniflare");
  const worker = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text,
    compatibilityDate: "2026-01-01",
  });
  try {
    const response = await worker.dispatchFetch("http://localhost/", { method: "POST", body: addresses });
    return {
      version: await versionIn("workerd"),
      module: outcomeOf(await response.text()),
      commonJs: NONE,
    };
  } finally {
    await worker.dispose();
  }
}

/** A package of `matrix/`. Its types are not here: it may not be installed. */
export async function load<Module>(name: string): Promise<Module> {
  const file = createRequire(join(MATRIX, "package.json")).resolve(name);
  return (await import(pathToFileURL(file).href)) as Module;
}

/** The version of a package in `matrix/node_modules`. */
export async function versionIn(name: string, root = MATRIX): Promise<string> {
  const manifest = await readFile(join(root, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
