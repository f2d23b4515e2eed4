// Runs a command that writes as many bytes as the first argument says, and prints what that has cost this process.
import { openDoor } from "../../../../../src/codebuff-run/tools/door/open-door.ts";
import { runCommand } from "../../../../../src/codebuff-run/tools/terminal/run-command.ts";

const door = await openDoor({ root: process.cwd() });

async function flood(bytes: number) {
  let peak = 0;
  let reports = 0;
  const onProgress = (): void => {
    reports++;
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  // Beside the reports, which end early.
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const job = {
    door,
    signal: new AbortController().signal,
    changes: { note: () => {}, saw: () => {}, isStale: () => false },
    onProgress,
  };
  const input = { command: `yes | head -c ${bytes}`, process_type: "SYNC", timeout_seconds: -1 } as const;
  const result = await runCommand()(input, job);
  clearInterval(sampler);
  return { peak, reports, result };
}

const { peak: before } = await flood(50_000_000); // compiles the code, and lets the heap grow to its usual size
const { peak, reports, result } = await flood(Number(process.argv[2]));
console.log(JSON.stringify({ growth: peak - before, reports, result }));
