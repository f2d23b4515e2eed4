/** `npm run full -- acp-ends`: ends of an ACP agent's process, by every way. See HELP. */
import { parseArgs } from "node:util";
import {
  END_WAYS,
  type EndReport,
  type EndRound,
  playEnd,
  SIGTERMS,
  STDIN_ENDS,
} from "../../test/acp/support/ends.ts";

const HELP = `Usage: npm run full -- acp-ends [options]

Starts the mock ACP agent as a program, with a turn that runs a command, and ends it: by close(), by force, by a crash,
by a signal from outside, by a cancel that it ignores, and with the program that owns the client. Every way meets every
habit of an agent at the end of stdin and at SIGTERM. Afterwards no process of the agent may live, and no command of it.
Linux only: it looks in /proc.

Options:
  --rounds <n>  How many.  [200; every combination needs ${END_WAYS.length * STDIN_ENDS.length * SIGTERMS.length}]
  --way <name>  Only this way: ${END_WAYS.join(", ")}.
  --help        This text.
`;

/** Rounds at once: most of their time is waiting. */
const AT_ONCE = 4;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "200" },
      way: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const count = Number(values.rounds);
  const ways = END_WAYS.filter((way) => values.way === undefined || way === values.way);
  if (process.platform !== "linux" || !Number.isInteger(count) || count < 1 || ways.length === 0) {
    console.error(HELP);
    return 2;
  }
  const all: readonly EndRound[] = SIGTERMS.flatMap((sigterm) =>
    STDIN_ENDS.flatMap((stdinEnd) => ways.map((way) => ({ way, stdinEnd, sigterm }))),
  );
  const reports: { readonly round: EndRound; readonly report: EndReport }[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const round = all[next++ % all.length];
      if (round) reports.push({ round, report: await playEnd(round) });
      if (reports.length % 20 === 0) console.log(`${reports.length} rounds`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return tell(reports);
}

function tell(reports: readonly { readonly round: EndRound; readonly report: EndReport }[]): number {
  for (const way of END_WAYS) {
    const times = reports.filter(({ round }) => round.way === way).map(({ report }) => report.ms);
    const sorted = times.toSorted((one, other) => one - other);
    const [least = 0, median = 0, most = 0] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
    if (times.length > 0)
      console.log(`${way.padEnd(18)} ${times.length} rounds; ${least} to ${most} ms, median ${median}`);
  }
  const failed = reports.filter(({ report }) => report.left.length > 0 || report.before === 0);
  for (const { round, report } of failed)
    console.error(`LEFT ${JSON.stringify(round)}: ${report.left.length} of ${report.before} processes live`);
  console.log(`${reports.length} rounds; ${failed.length} with something left`);
  return failed.length === 0 ? 0 : 1;
}
