import { cp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { install, pack } from "../scripts/support/pack.ts";

export const MATRIX = import.meta.dirname;
export const ROOT = resolve(MATRIX, "..");
const CONSUMER = join(MATRIX, "consumer");
const CONSUMERS = join(MATRIX, ".consumers");

/** The package as it was packed, installed once. */
export interface Place {
  /** A folder of its own for a user's project: the package, and the program as `program.mjs`, `main.mjs` and `main.cjs`. */
  consumer(name: string): Promise<string>;
}

/** Programs of `consumer/`, and the format that a project gets them in. The package stays an import. */
const PROGRAMS = [
  ["server.ts", "server.mjs"],
  ["program.ts", "program.mjs"],
  ["main.ts", "main.mjs"],
  ["main.ts", "main.cjs"],
  ["page.ts", "page.mjs"],
  ["worker.ts", "worker.mjs"],
] as const;

export async function place(): Promise<Place> {
  await rm(CONSUMERS, { recursive: true, force: true });
  const first = join(CONSUMERS, "packed");
  const tarball = await pack(ROOT, join(CONSUMERS, "pack"));
  await install(first, [tarball]);
  for (const [from, to] of PROGRAMS) {
    await build({
      entryPoints: [join(CONSUMER, from)],
      outfile: join(first, to),
      bundle: true,
      packages: "external",
      platform: "node",
      format: to.endsWith(".cjs") ? "cjs" : "esm",
      target: "es2022",
      tsconfigRaw: {}, // that of the repository leads to src/
      logLevel: "silent",
    });
  }
  return {
    async consumer(name) {
      const folder = join(CONSUMERS, name);
      await cp(first, folder, { recursive: true });
      return folder;
    },
  };
}

/** Copies what is under `consumer/` into a project. */
export async function copyTo(folder: string, from: string, to = from): Promise<void> {
  await cp(join(CONSUMER, from), join(folder, to), { recursive: true });
}
