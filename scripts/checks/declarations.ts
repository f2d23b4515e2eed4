import { copyFile, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { judgeDeclarations } from "../support/declarations.ts";
import { browserEntries, peersOf } from "../support/entries.ts";
import { readManifest, resolveTarget } from "../support/manifest.ts";
import { install, pack } from "../support/pack.ts";
import { run, tail } from "../support/run.ts";
import { tempFolder } from "../support/temp-folder.ts";
import type { Check, Finding } from "./finding.ts";

/** What a user's project has in its global scope. */
export interface Surroundings {
  /** For messages and file names. */
  readonly name: string;
  readonly lib: readonly string[];
  readonly types: readonly string[];
}

export const BROWSER_APP: Surroundings = { name: "dom", lib: ["es2022", "dom"], types: [] };
export const NODE_APP: Surroundings = { name: "node", lib: ["es2022"], types: ["node"] };

/** The oldest TypeScript that the types must work with. */
const OLDEST = "5.4";
/** What a user compiles: once as a module, once as CommonJS, which has declarations of its own. Tests only run on Node. */
const CONSUMER = join(import.meta.dirname, "../consumer");
const PROGRAMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["types.ts", ["types.ts", "types-in-commonjs.cts"]],
  ["types-of-tests.ts", ["types-of-tests.ts", "types-of-tests-in-commonjs.cts"]],
]);

const version = z.object({ version: z.string() });

/** The declarations need nothing but the language, and users compile against them, strictly. */
export const declarations: Check = async (root, note) => {
  const rules = await checkDeclarationRules(root, note);
  // A compiler would repeat what the rules said already, in its own words.
  return rules.length > 0 ? rules : compileAgainstPack(root, note);
};

/** The part that reads and does not install: no package, no global of one platform, and the library reference. */
export const checkDeclarationRules: Check = async (root, note) => {
  const manifest = await readManifest(root);
  const entries: string[] = [];
  const findings: Finding[] = [];
  for (const subpath of browserEntries(manifest)) {
    if (peersOf(subpath).length > 0) continue; // its types are made of a peer's
    for (const format of ["import", "require"]) {
      const types = resolveTarget(manifest.exports[subpath], new Set([format, "types"]));
      if (types !== undefined && /\.d\.c?ts$/.test(types)) entries.push(types);
      else {
        const message = `"exports" has no types for "${subpath}" with ${format}`;
        findings.push({ file: "package.json", message });
      }
    }
  }
  if (entries.length === 0) {
    findings.push({ file: "package.json", message: "there is nothing to check" });
  }
  const { files, problems } = judgeDeclarations(root, entries);
  note(`${files.length} declaration files of ${entries.length} entries`);
  return [...findings, ...problems];
};

async function compileAgainstPack(root: string, note: (line: string) => void): Promise<Finding[]> {
  await using folder = await tempFolder();
  const nodeTypes = version.parse(JSON.parse(await readFile(resolvePackage("@types/node"), "utf8"))).version;
  await install(folder.path, [
    await pack(root, join(folder.path, "pack")),
    `oldest@npm:typescript@${OLDEST}`,
    `@types/node@${nodeTypes}`,
  ]);
  for (const [program, copies] of PROGRAMS) {
    for (const copy of copies) await copyFile(join(CONSUMER, program), join(folder.path, copy));
  }

  const compilers = [dirname(resolvePackage("typescript")), join(folder.path, "node_modules/oldest")];
  const runs = compilers.flatMap((compiler) => [BROWSER_APP, NODE_APP].map((app) => ({ compiler, app })));
  const results = await Promise.all(
    runs.map(async ({ compiler, app }) => {
      const manifest: unknown = JSON.parse(await readFile(join(compiler, "package.json"), "utf8"));
      const used = app.types.length === 0 ? "no types" : `types of ${app.types.join(", ")}`;
      return {
        label: `TypeScript ${version.parse(manifest).version} with lib ${app.lib.join(" and ")}, ${used}`,
        complaints: await compileConsumer(folder.path, copiesFor(app), compiler, app),
      };
    }),
  );
  for (const { label, complaints } of results) note(`${label}: ${complaints === "" ? "compiles" : "FAILS"}`);
  return results
    .filter(({ complaints }) => complaints !== "")
    .map(({ label, complaints }) => ({
      file: "dist",
      message: `${label} refuses the packed types, or what a user writes against them:\n${complaints}`,
    }));
}

/**
 * Compiles `files` of a project at `folder` as strictly as a user might, declaration files of packages
 * included, with the compiler at `typescript`.
 *
 * @returns what the compiler complains of; empty when it is content.
 */
export async function compileConsumer(
  folder: string,
  files: readonly string[],
  typescript: string,
  surroundings: Surroundings,
): Promise<string> {
  const config = join(folder, `tsconfig.${surroundings.name}.json`);
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    moduleResolution: "nodenext",
    lib: surroundings.lib,
    types: surroundings.types,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  const result = await run(process.execPath, [join(typescript, "lib/tsc.js"), "-p", config], { cwd: folder });
  return result.ok ? "" : tail(result) || result.ending;
}

function copiesFor(app: Surroundings): readonly string[] {
  const programs = app === NODE_APP ? [...PROGRAMS.keys()] : ["types.ts"];
  return programs.flatMap((program) => PROGRAMS.get(program) ?? []);
}

/** The `package.json` of a package that this repository develops with. */
function resolvePackage(name: string): string {
  return createRequire(import.meta.url).resolve(`${name}/package.json`);
}
