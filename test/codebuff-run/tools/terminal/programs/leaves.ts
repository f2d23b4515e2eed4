// Starts a command that does not end, and leaves while it runs: `node leaves.ts <how> <command>`.
import { openDoor } from "../../../../../src/codebuff-run/tools/door/open-door.ts";
import { runCommand } from "../../../../../src/codebuff-run/tools/terminal/run-command.ts";

const [, , how, command = ""] = process.argv;
const door = await openDoor({ root: process.cwd() });
const job = {
  door,
  signal: new AbortController().signal,
  changes: { note: () => {}, saw: () => {}, isStale: () => false },
  onProgress: (output: string): void => {
    console.log(output);
    if (how === "exits") process.exit(3);
  },
};
const input = { command, process_type: "SYNC", timeout_seconds: 30 } as const;
await runCommand()(input, job);
