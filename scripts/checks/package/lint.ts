import { dirname, join } from "node:path";
import { run, tail } from "../../support/run.ts";

const TOOLS = join(import.meta.dirname, "../../../node_modules/.bin");

/** What the linters of published packages say of a tarball; each is a program that speaks through its exit code. */
export async function lint(tarball: string): Promise<readonly string[]> {
  const linters = [
    ["publint", "--strict", tarball],
    // Ink is an ES module that awaits at its top level: no CommonJS can load it, nor what imports it.
    ["attw", "--profile", "node16", "--no-color", tarball, "--exclude-entrypoints", "./ink"],
    ["attw", "--profile", "esm-only", "--no-color", tarball, "--entrypoints", "./ink"],
  ] as const;
  const complaints: string[] = [];
  for (const [tool, ...args] of linters) {
    const result = await run(process.execPath, [join(TOOLS, tool), ...args], { cwd: dirname(tarball) });
    if (!result.ok) complaints.push(`${tool} complains (${result.ending}):\n${tail(result, 40)}`);
  }
  return complaints;
}
