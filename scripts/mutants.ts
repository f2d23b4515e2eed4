import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type FailedTest, type Lane, openLane } from "./mutants/lane.ts";
import { type Mutant, mutate } from "./mutants/mutant.ts";
import { type Fate, page } from "./mutants/report.ts";
import { MUTANTS } from "./mutants/table.ts";
import { typeChecker } from "./mutants/type-check.ts";
import { endOnSignal } from "./support/end-on-signal.ts";

const HELP = `Usage: npm run mutants -- [options]

Breaks one line of src/ at a time, in a copy of the tree, and runs the tests that are to notice. Exits with 1 when a
breakage goes unnoticed, or the table of breakages (scripts/mutants/) is wrong.

Options:
  --only <name>   only this mutant, or those whose name begins with it; may be given several times
  --jobs <n>      how many at a time  [the number of cores]
  --write         write docs/mutants.md, once every one is caught
  --list          only say what there is
  --help          this text
`;

/** A mutant that compiles, with its file's text. */
interface Ready {
  readonly mutant: Mutant;
  readonly text: string;
}

const root = join(import.meta.dirname, "..");

endOnSignal();

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    jobs: { type: "string", default: String(availableParallelism()) },
    write: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const chosen = MUTANTS.filter(
  ({ name }) => values.only.length === 0 || values.only.some((wanted) => name.startsWith(wanted)),
);
const unknown = values.only.filter((wanted) => !MUTANTS.some(({ name }) => name.startsWith(wanted)));
const jobs = Number(values.jobs);
if (values.help) console.log(HELP);
else if (values.list) for (const { name, breaks } of chosen) console.log(`${name.padEnd(34)} ${breaks}`);
else if (unknown.length > 0) refuse(`no mutant has a name that begins with ${unknown.join(", ")}`);
else if (!Number.isInteger(jobs) || jobs < 1) refuse(`--jobs is ${values.jobs}, and must be a number from 1`);
else if (values.write && values.only.length > 0) refuse("--write needs all of them, not only some");
else await runAll();

async function runAll(): Promise<void> {
  const start = performance.now();
  const { ready, wrong } = await readAll(chosen);
  for (const fate of wrong) tell(fate);
  const fates: Fate[] = [...wrong];
  await using lanes = new AsyncDisposableStack();
  const opened: Lane[] = [];
  for (let lane = 0; lane < Math.min(jobs, Math.max(ready.length, 1)); lane++) {
    opened.push(lanes.use(await openLane(root)));
  }
  console.log(`${ready.length} mutants, ${opened.length} at a time; first their tests without them`);
  const broken = await failuresOf(opened, [...new Set(ready.flatMap(({ mutant }) => mutant.tests))]);
  const waiting = [...ready];
  const work = opened.map(async (lane) => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const from = performance.now();
      const fate = await judge(lane, next, broken);
      fates.push(fate);
      tell(fate, `${String(fates.length).padStart(4)}/${chosen.length}`, performance.now() - from);
    }
  });
  waiting.reverse();
  await Promise.all(work);
  await conclude(fates, performance.now() - start);
}

/** The breakages that can be made, and what is wrong with the others. */
async function readAll(
  mutants: readonly Mutant[],
): Promise<{ readonly ready: readonly Ready[]; readonly wrong: readonly Fate[] }> {
  const check = typeChecker(root);
  const ready: Ready[] = [];
  const wrong: Fate[] = [];
  for (const mutant of mutants) {
    const made = mutate(mutant, await readFile(join(root, mutant.file), "utf8"));
    const why = "problem" in made ? made.problem : check(mutant.file, made.text);
    if ("text" in made && why === undefined) ready.push({ mutant, text: made.text });
    else wrong.push({ mutant, fate: "error", why: why ?? "" });
  }
  return { ready, wrong };
}

/** The tests that fail as it is: those would notice anything. */
async function failuresOf(lanes: readonly Lane[], tests: readonly string[]): Promise<readonly FailedTest[]> {
  const shares = lanes.map((lane, at) => ({
    lane,
    share: tests.filter((_, index) => index % lanes.length === at),
  }));
  const verdicts = await Promise.all(
    shares.filter(({ share }) => share.length > 0).map(({ lane, share }) => lane.run(share)),
  );
  for (const { ok, failed, said } of verdicts) {
    if (!ok && failed.length === 0) throw new Error(`the tests fail without any mutant:\n${said}`);
  }
  return verdicts.flatMap(({ failed }) => failed);
}

async function judge(lane: Lane, { mutant, text }: Ready, broken: readonly FailedTest[]): Promise<Fate> {
  const useless = broken.find(({ file }) => mutant.tests.includes(file));
  if (useless) {
    const why = `${useless.file} fails without it too: ${useless.title ?? "it cannot be loaded"}`;
    return { mutant, fate: "error", why };
  }
  const { ok, failed, said } = await lane.runWith(mutant.file, text, mutant.tests);
  if (ok) return { mutant, fate: "survived" };
  // A file that was not begun, because another had failed, looks like one that could not be loaded.
  for (const { file, title } of failed) {
    if (title !== undefined) return { mutant, fate: "caught", by: { file, title } };
  }
  const [first] = failed;
  const why = first ? `${first.file} cannot be loaded with it` : `no test failed, but vitest did: ${said}`;
  return { mutant, fate: "error", why };
}

function tell(fate: Fate, count = "", ms = 0): void {
  const { name, tests, breaks } = fate.mutant;
  const time = ms === 0 ? "" : `${(ms / 1000).toFixed(1)} s`;
  const head = `${count} ${time.padStart(6)} ${name.padEnd(34)}`;
  if (fate.fate === "caught") console.log(`${head} caught by ${fate.by.file}: ${fate.by.title}`);
  else if (fate.fate === "survived") console.log(`${head} SURVIVED ${tests.join(", ")}: ${breaks}`);
  else console.log(`${head} ERROR ${fate.why}`);
}

async function conclude(fates: readonly Fate[], ms: number): Promise<void> {
  const caught = fates.flatMap((fate) => (fate.fate === "caught" ? [fate] : []));
  const survived = fates.filter(({ fate }) => fate === "survived").length;
  const wrong = fates.length - caught.length - survived;
  console.log(
    `\n${fates.length} mutants: ${caught.length} caught, ${survived} survived, ${wrong} errors of the table; ${Math.round(ms / 1000)} s`,
  );
  if (caught.length < fates.length) process.exitCode = 1;
  else if (values.write) {
    const order = new Map(MUTANTS.map(({ name }, index) => [name, index]));
    const sorted = caught.sort((a, b) => (order.get(a.mutant.name) ?? 0) - (order.get(b.mutant.name) ?? 0));
    await writeFile(join(root, "docs", "mutants.md"), page(sorted));
    console.log("docs/mutants.md is written");
  }
}

function refuse(why: string): void {
  console.error(`${why}\n\n${HELP}`);
  process.exitCode = 2;
}
