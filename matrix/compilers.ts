import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { peersOf, specifierOf } from "../scripts/support/entries.ts";
import { readManifest } from "../scripts/support/manifest.ts";
import { run, tail } from "../scripts/support/run.ts";
import { failed, type Outcome, type Row } from "./outcome.ts";
import { copyTo, MATRIX, ROOT } from "./place.ts";
import { versionIn } from "./workerd.ts";

/** Where each TypeScript lies. */
export const COMPILERS = {
  "typescript5.4": { root: MATRIX, name: "typescript-5.4" },
  "typescript5.9": { root: MATRIX, name: "typescript-5.9" },
  typescript6: { root: ROOT, name: "typescript" },
  typescript7: { root: MATRIX, name: "typescript-7" },
} as const;

/** What is compiled: the trials, the checks of types, and an import of every entry that needs no peer. */
const PROGRAMS = [
  "addresses.ts",
  "chats.ts",
  "contract.ts",
  "links.ts",
  "program.ts",
  "report.ts",
  "turns.ts",
];

export async function compilerRow(name: keyof typeof COMPILERS, folder: string): Promise<Row> {
  const compiler = COMPILERS[name];
  const path = join(compiler.root, "node_modules", compiler.name, "bin/tsc");
  return {
    version: await versionIn(compiler.name, compiler.root),
    module: await compiled(path, join(folder, "module"), "module"),
    commonJs: await compiled(path, join(folder, "commonjs"), "commonjs"),
  };
}

async function compiled(compiler: string, folder: string, type: "module" | "commonjs"): Promise<Outcome> {
  await mkdir(folder);
  for (const program of PROGRAMS) await copyTo(folder, program);
  await copyFile(join(ROOT, "scripts/consumer/types.ts"), join(folder, "types.ts"));
  const manifest = await readManifest(ROOT);
  const entries = Object.keys(manifest.exports).filter(
    (subpath) => !/\.(?:json|css)$/.test(subpath) && peersOf(subpath).length === 0,
  );
  const imports = entries.map(
    (subpath, index) => `export * as e${index} from "${specifierOf(manifest, subpath)}";`,
  );
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    lib: ["es2022"],
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  await writeFile(join(folder, "entries.ts"), `${imports.join("\n")}\n`);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type }));
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const result = await run(process.execPath, [compiler, "-p", "tsconfig.json"], {
    cwd: folder,
    timeout: 300_000,
  });
  return result.ok ? { kind: "passed", words: "compiles" } : failed(tail(result) || result.ending);
}
