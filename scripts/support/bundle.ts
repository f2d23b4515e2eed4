import { build } from "esbuild";
import * as z from "zod/mini";

export interface Bundle {
  readonly code: string;
  /** Every file that went in, relative to the folder that was given. */
  readonly inputs: readonly string[];
  /** What esbuild could not do; the rest is empty then. */
  readonly errors: readonly string[];
}

const failure = z.object({
  errors: z.array(
    z.object({ text: z.string(), location: z.nullable(z.object({ file: z.string(), line: z.number() })) }),
  ),
});

export interface BundleOptions {
  /** @default "browser" */
  readonly platform?: "browser" | "node";
  /** @default false */
  readonly minify?: boolean;
  /** @default "esm" */
  readonly format?: "esm" | "iife";
  /** Packages that stay outside. @default none */
  readonly external?: readonly string[];
}

/** The files that a page loads before anything is imported later, with each `import()` in files of its own. */
export async function firstFiles(
  folder: string,
  program: string,
  external: readonly string[] = [],
): Promise<readonly string[]> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: folder, sourcefile: "app.js" },
    absWorkingDir: folder,
    bundle: true,
    splitting: true,
    outdir: "out",
    target: "es2022",
    format: "esm",
    external: [...external],
    minify: true,
    metafile: true,
    write: false,
    logLevel: "silent",
    tsconfigRaw: {},
  });
  const paths = Object.keys(metafile.outputs); // in the order of `outputFiles`
  const seen = new Set(paths.filter((path) => metafile.outputs[path]?.entryPoint === "app.js"));
  for (const path of seen)
    for (const { kind, path: next } of metafile.outputs[path]?.imports ?? [])
      if (kind === "import-statement" && paths.includes(next)) seen.add(next);
  return outputFiles.filter((_, at) => seen.has(paths[at] ?? "")).map(({ text }) => text);
}

/** Bundles `program` as an app would, resolving packages from `folder`. */
export async function bundle(folder: string, program: string, options: BundleOptions = {}): Promise<Bundle> {
  try {
    const result = await build({
      stdin: { contents: program, resolveDir: folder, sourcefile: "app.js" },
      absWorkingDir: folder,
      bundle: true,
      platform: options.platform ?? "browser",
      target: "es2022",
      format: options.format ?? "esm",
      external: [...(options.external ?? [])],
      minify: options.minify ?? false,
      metafile: true,
      write: false,
      logLevel: "silent",
      // Else the tree's own tsconfig, which leads these names to src/, would be read.
      tsconfigRaw: {},
    });
    return {
      code: result.outputFiles.map((file) => file.text).join(""),
      inputs: Object.keys(result.metafile.inputs).filter((input) => input !== "app.js"),
      errors: [],
    };
  } catch (error) {
    const parsed = failure.safeParse(error);
    if (!parsed.success) throw error;
    const errors = parsed.data.errors.map(({ text, location }) =>
      location === null ? text : `${location.file}:${location.line} ${text}`,
    );
    return { code: "", inputs: [], errors };
  }
}
