import { dirname, join } from "node:path";
import { run, tail } from "../../support/run.ts";

const TOOLS = join(import.meta.dirname, "../../../node_modules/.bin");

/**
 * What the linters of published packages say of a tarball; each is a program that speaks through its exit code. `esmOnly`: the entries that
 * no CommonJS can load. `styles`: those that are no code.
 */
export async function lint(
  tarball: string,
  esmOnly: readonly string[] = [],
  styles: readonly string[] = [],
): Promise<readonly string[]> {
  const others = [...esmOnly, ...styles];
  const excluded = others.length === 0 ? [] : ["--exclude-entrypoints", ...others];
  const linters: readonly (readonly [string, ...string[]])[] = [
    ["publint", "--strict", tarball],
    ["attw", "--profile", "node16", "--no-color", tarball, ...excluded],
    ...esmOnly.map(
      (entry) => ["attw", "--profile", "esm-only", "--no-color", tarball, "--entrypoints", entry] as const,
    ),
  ];
  const complaints: string[] = [];
  for (const [tool, ...args] of linters) {
    const result = await run(process.execPath, [join(TOOLS, tool), ...args], { cwd: dirname(tarball) });
    if (!result.ok) complaints.push(`${tool} complains (${result.ending}):\n${tail(result, 40)}`);
  }
  return complaints;
}
