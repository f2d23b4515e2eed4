/** `npm run soak`: random turns over links that are cut and programs that are killed, on every client and on the relay. See HELP. */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { endOnSignal } from "../../scripts/support/run.ts";
import { isRedisMissing } from "../server/support/redis-server.ts";
import { Child } from "./child.ts";
import { PROTOCOLS, RELAYS, type SoakedName } from "./plan.ts";
import { table } from "./report.ts";
import { markdownOf, reportOf } from "./report-file.ts";

const SOAKED: readonly SoakedName[] = [...PROTOCOLS, ...RELAYS];

const HELP = `Usage: npm run soak -- [options]

Random turns of every client against its mock, through a TCP proxy that cuts, delays, halves, splits and gathers what
passes. Real sockets, real time, short limits. At the end, what the servers have received and what the user has seen must
agree. Each protocol has a process of its own, which must end by itself. Programs are real processes, which are killed and
fall silent; an ACP agent is a process in one chapter of three, and else at the other end of such a link.

The relay runs as several servers over one log, which are killed, frozen and replaced, with their log.

Options:
  --seconds <n>      How long all protocols run, side by side.  [60, or without end when --turns is given]
  --turns <n>        So many turns of each protocol.
  --protocol <name>  Only this one; may be repeated: ${SOAKED.join(", ")}.
  --seed <n>         The same seed gives the same plan: turns, texts, answers, faults of links. It does not give the same
                     interleaving: that is up to the machine.  [a random one]
  --chapter <n>      Only this chapter of the plan: one client, from its first turn to its end. Again and again with
                     --seconds.
  --strict-line      Lets no client of the proxy or of Cass send anything while a prompt runs on its connection.
  --report <file>    Also writes what has happened there, as JSON, and for readers beside it, with the ending .md.
  --help             This text.
`;

const RELAY_PLAYER = fileURLToPath(new URL("relay/player.ts", import.meta.url));

/** ms between two lines of progress. */
const TELLING = 5_000;

/** Violations that are shown of each process. */
const SHOWN = 3;

endOnSignal();

const { values } = parseArgs({
  options: {
    seconds: { type: "string" },
    turns: { type: "string" },
    protocol: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    chapter: { type: "string" },
    report: { type: "string" },
    "strict-line": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const unknown = values.protocol.filter((name) => !SOAKED.some((known) => known === name));
const numbers = [values.seconds, values.turns, values.seed, values.chapter].map((value) =>
  Number(value ?? 1),
);
if (values.help) console.log(HELP);
else if (unknown.length > 0) refuse(`nothing here is named ${unknown.join(", ")}`);
else if (numbers.some((value) => !Number.isInteger(value) || value < 0))
  refuse("--seconds, --turns, --seed and --chapter take whole numbers");
else await soak();

function refuse(problem: string): void {
  console.error(`${problem}\n\n${HELP}`);
  process.exitCode = 2;
}

/** The name of the report for readers. */
function besides(file: string): string {
  return `${file.replace(/\.json$/, "")}.md`;
}

async function soak(): Promise<void> {
  const seed = Number(values.seed);
  const chosen = SOAKED.filter(
    (name) => values.protocol.length === 0 || values.protocol.includes(name),
  ).filter((name) => name !== "relay-redis" || !isRedisMissing);
  const only = values.chapter === undefined ? undefined : Number(values.chapter);
  const isBounded = values.turns !== undefined || only !== undefined;
  const seconds = values.seconds ?? (isBounded ? undefined : "60");
  const time = seconds === undefined ? Number.MAX_SAFE_INTEGER : Number(seconds) * 1_000;
  console.log(`seed ${seed}`);
  const start = performance.now();
  const children = chosen.map((protocol) => {
    const order = {
      protocol,
      seed,
      only,
      time,
      turns: values.turns === undefined ? Number.MAX_SAFE_INTEGER : Number(values.turns),
      times: only !== undefined && seconds === undefined ? 1 : Number.MAX_SAFE_INTEGER,
      strictLine: values["strict-line"] && (protocol === "proxy" || protocol === "cass"),
    };
    return new Child(order, RELAYS.some((name) => name === protocol) ? { program: RELAY_PLAYER } : {});
  });
  const told = new Set<string>();
  const tellProblems = (): void => {
    for (const problem of children.flatMap(({ problems }) => problems.slice(0, SHOWN))) {
      if (!told.has(problem)) console.log(`\n${problem}\n`);
      told.add(problem);
    }
  };
  const telling = setInterval(() => {
    tellProblems();
    const at = Math.round((performance.now() - start) / 1_000);
    console.log(`${String(at).padStart(5)} s  ${children.map((child) => child.progress).join("  ")}`);
  }, TELLING);
  await Promise.all(children.map((child) => child.over));
  clearInterval(telling);
  const counts = new Map(children.map(({ protocol, counts }) => [protocol, counts]));
  console.log(`\n${table(counts)}\n`);
  const failed = children.filter(({ problems }) => problems.length > 0);
  tellProblems();
  const elapsed = (performance.now() - start) / 1_000;
  const took = elapsed.toFixed(1);
  if (values.report !== undefined) {
    const violations = children.flatMap(({ problems }) => problems);
    const run = { seed, seconds: elapsed, node: process.version, counts, violations };
    await writeFile(values.report, `${JSON.stringify(reportOf(run), null, 2)}\n`);
    await writeFile(besides(values.report), markdownOf(run));
    console.log(`the report is in ${values.report} and ${besides(values.report)}`);
  }
  if (failed.length === 0) console.log(`all invariants held, seed ${seed}, ${took} s`);
  else {
    const names = failed.map(({ protocol, problems }) => `${protocol} ${problems.length}`).join(", ");
    console.log(`FAILED, seed ${seed}: violations of ${names}, ${took} s`);
    process.exitCode = 1;
  }
}
