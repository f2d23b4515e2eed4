import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { backends } from "./checks/backends.ts";
import { browser } from "./checks/browser.ts";
import { circles } from "./checks/circles.ts";
import { declarations } from "./checks/declarations.ts";
import { dependencies } from "./checks/dependencies.ts";
import { expressions } from "./checks/expressions.ts";
import type { Check, Finding } from "./checks/finding.ts";
import { globals } from "./checks/globals.ts";
import { imports } from "./checks/imports.ts";
import { map } from "./checks/map.ts";
import { names } from "./checks/names.ts";
import { neutral } from "./checks/neutral.ts";
import { packageCheck } from "./checks/package.ts";
import { peers } from "./checks/peers.ts";
import { privacy } from "./checks/privacy.ts";
import { program } from "./checks/program.ts";
import { size } from "./checks/size.ts";
import { snippets } from "./checks/snippets.ts";
import { endOnSignal, run, tail } from "./support/run.ts";

interface Entry {
  readonly name: string;
  readonly about: string;
  /** Whether it looks at `dist/`, which is then built first: a check of an old build proves nothing. */
  readonly needsBuild: boolean;
  readonly check: Check;
}

const CHECKS: readonly Entry[] = [
  {
    name: "imports",
    about: "src/ imports only in the allowed directions",
    needsBuild: false,
    check: imports,
  },
  { name: "circles", about: "no imports in circles, types included", needsBuild: false, check: circles },
  {
    name: "neutral",
    about: "what runs everywhere compiles without DOM and Node",
    needsBuild: false,
    check: neutral,
  },
  { name: "map", about: "each file of src/ says first what it is for", needsBuild: false, check: map },
  { name: "names", about: "an exported name is defined once", needsBuild: false, check: names },
  { name: "backends", about: "no user interface names a backend", needsBuild: false, check: backends },
  { name: "privacy", about: "no machine's paths, no registry hosts", needsBuild: false, check: privacy },
  {
    name: "expressions",
    about: "no regular expression takes more than linear time",
    needsBuild: false,
    check: expressions,
  },
  {
    name: "snippets",
    about: "the code on every page is a region that compiles",
    needsBuild: false,
    check: snippets,
  },
  {
    name: "program",
    about: "the page of the program says what its tables say",
    needsBuild: false,
    check: program,
  },
  { name: "browser", about: "no browser can reach Node's code", needsBuild: true, check: browser },
  {
    name: "dependencies",
    about: "what is imported is installed, and nothing else",
    needsBuild: true,
    check: dependencies,
  },
  { name: "globals", about: "importing the package sets nothing", needsBuild: true, check: globals },
  { name: "size", about: "no import grows unnoticed in a browser", needsBuild: true, check: size },
  {
    name: "declarations",
    about: "users compile against the packed types",
    needsBuild: true,
    check: declarations,
  },
  {
    name: "package",
    about: "the packed package lints, installs and works",
    needsBuild: true,
    check: packageCheck,
  },
  {
    name: "peers",
    about: "any version of an optional peer installs, and an entry that needs more says so",
    needsBuild: true,
    check: peers,
  },
];

const HELP = `Usage: npm run check -- [options] [name ...]

Runs the named checks, or all of them, and exits with 1 if one finds something.

${CHECKS.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join("\n")}

Options:
  --json <file>   also write the results there
  --root <folder> look at another tree than this one
  --help          this text
`;

interface Outcome {
  readonly name: string;
  readonly seconds: number;
  readonly findings: readonly Finding[];
}

endOnSignal();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", default: false }, json: { type: "string" }, root: { type: "string" } },
});
const root = resolve(values.root ?? join(import.meta.dirname, ".."));
const unknown = positionals.filter((name) => !CHECKS.some((entry) => entry.name === name));
if (values.help) console.log(HELP);
else if (unknown.length > 0) {
  console.error(`no check is named ${unknown.join(", ")}\n\n${HELP}`);
  process.exitCode = 2;
} else {
  const outcomes = await runAll(
    CHECKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
  );
  const failed = outcomes.filter(({ findings }) => findings.length > 0);
  console.log(`\n${outcomes.length - failed.length} checks passed, ${failed.length} failed`);
  if (values.json !== undefined) await writeFile(values.json, JSON.stringify(outcomes, null, 2));
  if (failed.length > 0) process.exitCode = 1;
}

async function runAll(entries: readonly Entry[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let broken: string | undefined;
  if (entries.some(({ needsBuild }) => needsBuild)) {
    const build = await runOne("build", async () => {
      broken = await buildAll();
      return broken === undefined ? [] : [{ file: "src", message: broken }];
    });
    outcomes.push(build);
  }
  for (const { name, needsBuild, check } of entries) {
    const skip: Check = async () => [{ file: "dist", message: "not checked, because the build failed" }];
    outcomes.push(await runOne(name, needsBuild && broken !== undefined ? skip : check));
  }
  return outcomes;
}

/** Runs one check, and says how it went as soon as it is known. */
async function runOne(name: string, check: Check): Promise<Outcome> {
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
  for (const line of notes) console.log(`       ${line}`);
  for (const { file, line, message } of findings) {
    console.log(
      `     ! ${file}${line === undefined ? "" : `:${line}`}  ${message.replaceAll("\n", "\n         ")}`,
    );
  }
  return { name, seconds, findings };
}

async function buildAll(): Promise<string | undefined> {
  for (const script of ["build", "build:types"]) {
    const result = await run("npm", ["run", "--silent", script, "--", "--silent"], { cwd: root });
    if (!result.ok) return `npm run ${script} failed (${result.ending}):\n${tail(result, 40)}`;
  }
  return undefined;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
