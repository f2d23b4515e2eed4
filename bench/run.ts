/** `npm run bench`: the figures of the design, side by side with peers. See HELP. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { backlog } from "./cases/backlog.ts";
import { chatStore } from "./cases/chat-store.ts";
import { chunk } from "./cases/chunk.ts";
import { coldImport } from "./cases/cold-import.ts";
import type { Case, Effort, Figure } from "./cases/figure.ts";
import { idleHeap } from "./cases/idle-heap.ts";
import { line } from "./cases/line.ts";
import { manyTurns } from "./cases/many-turns.ts";
import { otel } from "./cases/otel.ts";
import { redial } from "./cases/redial.ts";
import { relay } from "./cases/relay.ts";
import { run } from "./cases/run.ts";
import { shaped } from "./cases/shaped.ts";
import { size } from "./cases/size.ts";
import { thousandTurns } from "./cases/thousand-turns.ts";
import { turn } from "./cases/turn.ts";
import { universal } from "./cases/universal.ts";
import { type Committed, limitOf, plainTable, readResults, renderResults } from "./results.ts";
import { describeLoad, LoadWatch } from "./support/load.ts";
import { thisMachine } from "./support/machine.ts";

const CASES: readonly Case[] = [
  chunk,
  shaped,
  turn,
  line,
  run,
  universal,
  manyTurns,
  backlog,
  chatStore,
  otel,
  size,
  coldImport,
  idleHeap,
  redial,
  thousandTurns,
  relay,
];

const RESULTS = join(import.meta.dirname, "RESULTS.md");

const HELP = `Usage: npm run bench [-- options]

Measures the built package beside others: raw ws and JSON.parse, node:readline, eventsource-parser, a bare queue, @atproto/ws-client and graphql-ws.
They read in turns in one process, from a server in another. No figure is a time: all are ratios, sizes or counts.

${CASES.map(({ name, about }) => `  ${name.padEnd(15)} ${about}`).join("\n")}

Options:
  --only <name>  Only this one; may be repeated.
  --write        Write bench/RESULTS.md. Only all of them together, on a machine that does nothing else. The page says
                 when the machine was not quiet.
  --quick        In a minute or two, without the slow peers. Fails when a figure is half as much again as in
                 bench/RESULTS.md, twice in a row.
  --help         This text. See also bench/profile.ts.
`;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    write: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const loads = new LoadWatch();
const unknown = values.only.filter((name) => !CASES.some((entry) => entry.name === name));
const chosen = CASES.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
if (values.help) console.log(HELP);
else if (unknown.length > 0) refuse(`nothing here is named ${unknown.join(", ")}`);
else if (values.write && (values.quick || values.only.length > 0))
  refuse("--write is for all figures, measured with care: not together with --quick or --only");
else if (values.quick) await quick();
else await full();

function refuse(problem: string): void {
  console.error(`${problem}\n\n${HELP}`);
  process.exitCode = 2;
}

async function full(): Promise<void> {
  const figures: Figure[] = [];
  for (const entry of chosen) figures.push(...(await measure(entry, "full")));
  console.log(`\n${plainTable(figures)}\n${describeLoad(loads.load)}`);
  if (!values.write) return;
  await writeFile(RESULTS, renderResults(figures, await thisMachine(), loads.load));
  console.log("\nwritten to bench/RESULTS.md");
}

async function quick(): Promise<void> {
  const before = readResults(await readFile(RESULTS, "utf8"));
  const figures: Figure[] = [];
  const lost: string[] = [];
  for (const entry of chosen) {
    let measured = await measure(entry, "quick");
    // Once more: a machine that was busy for a moment is no loss.
    if (losses(measured, before).length > 0) measured = best(measured, await measure(entry, "quick"));
    figures.push(...measured);
    lost.push(...losses(measured, before));
  }
  console.log(`\n${plainTable(figures)}\n${describeLoad(loads.load)}\n`);
  for (const loss of lost) console.log(`! ${loss}`);
  console.log(`${figures.length - lost.length} figures are as they were, ${lost.length} lost`);
  if (lost.length > 0) process.exitCode = 1;
}

async function measure(entry: Case, effort: Effort): Promise<readonly Figure[]> {
  const start = performance.now();
  console.log(`${entry.name}: ${entry.about}`);
  const figures = await entry.measure(effort, (line) => {
    loads.look();
    console.log(`  ${line}`);
  });
  loads.look();
  console.log(`  took ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  return figures;
}

/** What got worse, for people. A figure that was never committed has got lost too: nothing guards it. */
function losses(figures: readonly Figure[], before: Committed): readonly string[] {
  return figures.flatMap((figure) => {
    const limit = limitOf(figure, before);
    if (limit === undefined) return [`${figure.name} is not in bench/RESULTS.md: npm run bench -- --write`];
    if (figure.measured <= limit) return [];
    const { name, measured } = figure;
    return [`${name} is ${measured.toFixed(2)}, and was ${before[name]}: more than ${limit.toFixed(2)}`];
  });
}

function best(first: readonly Figure[], second: readonly Figure[]): readonly Figure[] {
  return first.map((figure, index) => {
    const again = second[index];
    return again && again.measured < figure.measured ? again : figure;
  });
}
