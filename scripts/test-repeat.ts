import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { endOnSignal } from "./support/end-on-signal.ts";
import { run } from "./support/run.ts";
import { tempFolder } from "./support/temp-folder.ts";

const HELP = `Usage: npm run test:repeat -- [options] [files]

Runs the suites that use sockets again and again, their files and tests in a random order each time. Stops at the first
run that fails, and says how to have it again.

Options:
  --times <n>   how often  [5]
  --seed <n>    the order of the first run; each next one has the number after it  [a random one]
  --help        this text
`;

/** What opens sockets, of the client, of the mocks, and of programs that are not ours. */
const SUITES = ["test/contract", "test/codebuff", "test/core/link", "test/testing", "test/foreign"];

/** ms for one run: some ten times what it takes on two cores. */
const LIMIT = 600_000;

const report = z.object({ numPassedTests: z.number(), numTotalTests: z.number() });
const root = join(import.meta.dirname, "..");

endOnSignal();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: "string", default: "5" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    help: { type: "boolean", default: false },
  },
});
const times = Number(values.times);
const seed = Number(values.seed);
if (values.help) console.log(HELP);
else if (!Number.isInteger(times) || times < 1)
  refuse(`--times is ${values.times}, and must be a number from 1`);
else if (!Number.isInteger(seed)) refuse(`--seed is ${values.seed}, and must be a number`);
else await repeat(positionals.length > 0 ? positionals : SUITES);

async function repeat(suites: readonly string[]): Promise<void> {
  await using folder = await tempFolder();
  const output = join(folder.path, "report.json");
  for (let time = 0; time < times; time++) {
    const order = seed + time;
    const start = performance.now();
    const result = await run(process.execPath, vitest(suites, order, output), { cwd: root, timeout: LIMIT });
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    const name = `run ${time + 1} of ${times}, seed ${order}`;
    if (!result.ok) {
      console.error(result.stdout, result.stderr);
      console.error(`${name}: failed (${result.ending}) after ${seconds} s. The same order again:`);
      console.error(`  npm run test:repeat -- --times 1 --seed ${order} ${positionals.join(" ")}`);
      process.exitCode = 1;
      return;
    }
    const { numPassedTests, numTotalTests } = report.parse(JSON.parse(await readFile(output, "utf8")));
    console.log(`${name}: ${numPassedTests} of ${numTotalTests} tests passed in ${seconds} s`);
  }
}

function vitest(suites: readonly string[], order: number, output: string): string[] {
  const program = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
  const shuffled = ["--sequence.shuffle.files", "--sequence.shuffle.tests", `--sequence.seed=${order}`];
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${output}`];
  return [program, "run", ...shuffled, ...reporters, ...suites];
}

function refuse(problem: string): void {
  console.error(`${problem}. See --help.`);
  process.exitCode = 1;
}
