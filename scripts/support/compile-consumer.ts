import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run, tail } from "./run.ts";

/** What a user's project has in its global scope. */
export interface Surroundings {
  /** For messages and file names. */
  readonly name: string;
  readonly lib: readonly string[];
  readonly types: readonly string[];
}

export const BROWSER_APP: Surroundings = { name: "dom", lib: ["es2022", "dom"], types: [] };
export const NODE_APP: Surroundings = { name: "node", lib: ["es2022"], types: ["node"] };

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
