import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What reaches past a file: modules, globals and timers that it replaces, and what the process reports to all. */
const REACHES_FURTHER =
  /\bvi\.(?:mock|doMock|stubGlobal|stubEnv|useFakeTimers)\(|\bprocess\.(?:on|env\[[^\]]+\] =)|\bglobalThis\.\w+ = /;

/** Measure what the process holds, which others add to. */
const MEASURE_THE_PROCESS = ["test/testing/codebuff-cli/**/*.test.ts", "test/**/{leaks,memory}.test.ts"];

const ROOT = join(import.meta.dirname, "..");

/** The folders of tests but for these. A pattern would lose `codebuff-cli` with `codebuff`. */
export function groupsBut(names: readonly string[]): readonly string[] {
  const entries = readdirSync(join(ROOT, "test"), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !names.includes(entry.name))
    .map(({ name }) => name);
}

/** The test files among `groups` that need a worker of their own, because they would disturb others, or be disturbed. */
export function filesApart(groups: readonly string[]): readonly string[] {
  const files = globSync([...groups], { cwd: ROOT });
  const further = files.filter((file) => REACHES_FURTHER.test(readFileSync(join(ROOT, file), "utf8")));
  return [...further.map((file) => file.replaceAll("\\", "/")), ...MEASURE_THE_PROCESS].sort();
}
