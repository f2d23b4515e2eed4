/** `npm run full -- acp-turns`: random turns of the ACP client on the mock. See HELP. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { playAcpChapter } from "../../test/acp/support/turns/chapter.ts";
import { add, NOTHING } from "../../test/soak/counts.ts";

const HELP = `Usage: npm run full -- acp-turns [options]

Random turns of the ACP client, and of chats over it, against the mock agent in this process: every profile, random
switches, scripts, decisions, cancels, losses and ends. The clock is the test's, so nothing waits. What the agent has
received and what the user has seen must agree.

Options:
  --turns <n>      How many.  [100000]
  --seed <n>       The same seed gives the same turns.  [a random one]
  --chapter <n>    Only this chapter: one agent and one client. Prints what they said.
  --help           This text.
`;

/** Turns between two lines of progress. */
const TELLING = 5_000;

/** Lines of the agent that a failure shows. */
const SHOWN = 400;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      turns: { type: "string", default: "100000" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
      chapter: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const [turns, seed, only] = [values.turns, values.seed, values.chapter ?? "0"].map(Number);
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (![turns, seed, only].every((value) => Number.isInteger(value) && Number(value) >= 0)) {
    console.error(`--turns, --seed and --chapter are whole numbers\n\n${HELP}`);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), "acp-turns-"));
  try {
    return await playAll(turns ?? 0, seed ?? 0, values.chapter === undefined ? undefined : only, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function playAll(
  turns: number,
  seed: number,
  only: number | undefined,
  folder: string,
): Promise<number> {
  console.log(`seed ${seed}`);
  const start = performance.now();
  let counts = NOTHING;
  let told = 0;
  for (let chapter = only ?? 0; counts.turns < turns; chapter++) {
    const report = await playAcpChapter(seed, chapter, folder);
    counts = add(counts, report.counts);
    const [first] = report.findings;
    if (only !== undefined || first)
      for (const line of report.lines.slice(-SHOWN)) console.log(line.slice(0, 500));
    for (const { kind, turn, message } of report.findings)
      console.error(
        `VIOLATION ${kind}: seed ${seed}, chapter ${chapter}, turn ${turn ?? "unknown"}\n  ${message}`,
      );
    if (first) {
      console.error(`again: npm run full -- acp-turns --seed ${seed} --chapter ${chapter}`);
      return 1;
    }
    if (only !== undefined) break;
    if (counts.turns - told < TELLING) continue;
    told = counts.turns;
    console.log(`${counts.turns} turns, ${rateOf(counts.turns, start)} a second`);
  }
  const { chapters, completed, cancelled, failed, codes, decisions } = counts;
  console.log(
    `${counts.turns} turns in ${chapters} chapters: ${completed} completed, ${cancelled} cancelled, ${failed} failed ` +
      `(${Object.entries(codes)
        .map(([code, count]) => `${code} ${count}`)
        .join(", ")}); ` +
      `${decisions} decisions; ${rateOf(counts.turns, start)} turns a second; nothing is wrong`,
  );
  return 0;
}

function rateOf(turns: number, start: number): number {
  return Math.round(turns / ((performance.now() - start) / 1_000));
}
