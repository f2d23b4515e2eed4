// Runs checks one after the other, and tells of each as soon as it is known.
import type { Check, Finding } from "../checks/finding.ts";
import { run, tail } from "./run.ts";

export interface CheckEntry {
  readonly name: string;
  readonly about: string;
  /** Whether it looks at `dist/`, which is then built first: a check of an old build proves nothing. */
  readonly needsBuild: boolean;
  readonly check: Check;
}

export interface Outcome {
  readonly name: string;
  readonly seconds: number;
  readonly findings: readonly Finding[];
}

/**
 * Builds, if one of the checks needs it, and runs the checks.
 * @param isBrief leaves out notes of more than one line
 */
export async function runChecks(
  root: string,
  entries: readonly CheckEntry[],
  isBrief = false,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let broken: string | undefined;
  if (entries.some(({ needsBuild }) => needsBuild)) {
    const build: Check = async () => {
      broken = await buildAll(root);
      return broken === undefined ? [] : [{ file: "src", message: broken }];
    };
    outcomes.push(await runOne(root, "build", build, isBrief));
  }
  for (const { name, needsBuild, check } of entries) {
    const skip: Check = async () => [{ file: "dist", message: "not checked, because the build failed" }];
    outcomes.push(await runOne(root, name, needsBuild && broken !== undefined ? skip : check, isBrief));
  }
  const failed = outcomes.filter(({ findings }) => findings.length > 0);
  console.log(`\n${outcomes.length - failed.length} checks passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
  return outcomes;
}

/** ms for each of the two builds: the types take one and a half minutes on a busy machine. */
const BUILD_TIMEOUT = 300_000;

/** @returns what went wrong */
export async function buildAll(root: string): Promise<string | undefined> {
  for (const script of ["build", "build:types"]) {
    const result = await run("npm", ["run", "--silent", script, "--", "--silent"], {
      cwd: root,
      timeout: BUILD_TIMEOUT,
    });
    if (!result.ok) return `npm run ${script} failed (${result.ending}):\n${tail(result, 40)}`;
  }
  return undefined;
}

async function runOne(root: string, name: string, check: Check, isBrief: boolean): Promise<Outcome> {
  const notes: string[] = [];
  const start = performance.now();
  let findings: readonly Finding[];
  try {
    findings = await check(root, (line) => notes.push(line));
  } catch (error) {
    // A check that cannot look is a failed check: silence must never pass for content.
    findings = [{ file: ".", message: `could not be checked: ${describe(error)}` }];
  }
  const seconds = (performance.now() - start) / 1000;
  const verdict = findings.length === 0 ? "ok  " : "FAIL";
  console.log(`${verdict} ${name.padEnd(13)} ${seconds.toFixed(1)} s  ${plural(findings.length, "finding")}`);
  if (!isBrief || notes.length === 1) for (const line of notes) console.log(`       ${line}`);
  for (const { file, line, message } of findings) {
    console.log(
      `     ! ${file}${line === undefined ? "" : `:${line}`}  ${message.replaceAll("\n", "\n         ")}`,
    );
  }
  return { name, seconds, findings };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
