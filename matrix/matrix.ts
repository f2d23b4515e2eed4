/** Tries the packed package wherever it should work: `npm run matrix`. */
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endOnSignal, run as runProgram, tail } from "../scripts/support/run.ts";
import { started } from "./beside.ts";
import { COMPILERS } from "./compilers.ts";
import { failed, type Outcome, type Row } from "./outcome.ts";
import { pageOf, wordsOf } from "./page.ts";
import { MATRIX, place, ROOT } from "./place.ts";
import { SUBJECTS, type Subject } from "./rows.ts";
import { RUNTIMES } from "./runtimes.ts";

const PAGE = "docs/runtimes.md";

const HELP = `Usage: npm run matrix [-- options]

Packs the package, installs it in a folder for each runtime, bundler and compiler, and tries one program there. What
they need is installed in matrix/ from the registry of npm (1 GB). Chromium and Firefox are those on the PATH.
Without --only it writes ${PAGE}.

Options:
  --only <names>   Some, such as bun,deno: ${SUBJECTS.map(({ name }) => name).join(", ")}
  --help           This text.

The exit code is 1 if a cell has failed, 2 for a wrong option.
`;

/** ms. */
const [INSTALL, BUILD] = [1_200_000, 600_000];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Installs what the lock of `matrix/` says, unless it is there. */
async function installTools(): Promise<void> {
  const [lock, installed] = await Promise.all(
    ["package-lock.json", "node_modules/.package-lock.json"].map((file) =>
      stat(join(MATRIX, file)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  if ((installed ?? 0) >= (lock ?? 0) && installed !== 0) return;
  say("installing runtimes, bundlers and compilers ...");
  const args = ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = await runProgram("npm", args, { cwd: MATRIX, timeout: INSTALL });
  if (!result.ok) throw new Error(`npm ci failed in matrix/ (${result.ending}):\n${tail(result)}`);
}

/** The declarations take minutes, and only compilers read them. */
async function buildPackage(withTypes: boolean): Promise<void> {
  say("building ...");
  for (const script of withTypes ? ["build", "build:types"] : ["build"]) {
    const result = await runProgram("npm", ["run", "--silent", script], { cwd: ROOT, timeout: BUILD });
    if (!result.ok) throw new Error(`npm run ${script} failed (${result.ending}):\n${tail(result)}`);
  }
}

async function rowsOf(
  { name, rows }: Subject,
  folder: string,
  addresses: string,
): Promise<readonly (readonly [string, Row])[]> {
  try {
    return await rows(folder, addresses);
  } catch (error) {
    const outcome = failed(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return [[name, { version: "", module: outcome, commonJs: outcome }]];
  }
}

async function matrix(subjects: readonly Subject[]): Promise<readonly (readonly [string, Row])[]> {
  await installTools();
  await buildPackage(subjects.some(({ name }) => name in COMPILERS));
  say("packing ...");
  const { consumer } = await place();
  const server = await started(RUNTIMES.node24.command, ["server.mjs"], await consumer("server"));
  await using _ = server;
  const table: (readonly [string, Row])[] = [];
  for (const subject of subjects) {
    const begun = performance.now();
    for (const [title, row] of await rowsOf(subject, await consumer(subject.name), server.line)) {
      table.push([title, row]);
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      say(
        `${title} ${row.version}: ${wordsOf(row.module)}; CommonJS: ${wordsOf(row.commonJs)} (${seconds} s)`,
      );
    }
  }
  await rm(join(MATRIX, ".consumers"), { recursive: true, force: true });
  return table;
}

function firstOf(outcome: Outcome): readonly string[] {
  return outcome.kind === "failed" ? [outcome.first] : [];
}

/** Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: "string" }, help: { type: "boolean", default: false } },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  endOnSignal();
  const names = values.only?.split(",");
  const unknown = names?.filter((name) => !SUBJECTS.some((subject) => subject.name === name)) ?? [];
  if (unknown.length > 0) {
    process.stderr.write(`there is no ${unknown.join(", ")}\n\n${HELP}`);
    return 2;
  }
  const table = await matrix(SUBJECTS.filter(({ name }) => names?.includes(name) ?? true));
  if (names === undefined) {
    await writeFile(join(ROOT, PAGE), pageOf(table));
    say(`wrote ${PAGE}`);
  }
  const failures = table.flatMap(([title, { version, module, commonJs }]) =>
    [...firstOf(module), ...firstOf(commonJs)].map((first) => `${title} ${version}: ${first}`),
  );
  for (const failure of failures) say(`\nFAILED ${failure}`);
  return failures.length === 0 ? 0 : 1;
}
