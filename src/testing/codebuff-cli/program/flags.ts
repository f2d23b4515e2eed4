// The options and help texts of each real program.
import type { FakeCodebuffProfile } from "../scenario.ts";

/** An option of the CLI. */
export interface Flag {
  readonly long: string;
  readonly short?: string;
  /** `<file>` for a value that must be there, `[id]` for one that may. */
  readonly value?: string;
  readonly about: string;
}

const STREAM_JSON: Flag = { long: "--stream-json", about: "Print events as JSON lines" };
const JSON_OBJECT: Flag = { long: "--json", about: "Print one JSON object at the end (implies -n)" };
const NON_INTERACTIVE: Flag = { short: "-n", long: "--non-interactive", about: "Run without a terminal" };
const QUIET: Flag = { short: "-q", long: "--quiet", about: "Print the final text only" };
const OUTPUT: Flag = { short: "-o", long: "--output", value: "<file>", about: "Write the result to a file" };
const TIMEOUT: Flag = { long: "--timeout", value: "<seconds>", about: "Cancel after so many seconds" };
const PRINT: Flag = { short: "-p", long: "--print", about: "Print events as JSON lines" };
const PARAMS: Flag = { long: "--params", value: "<json>", about: "Parameters of the agent" };
const FREE: Flag = { long: "--free", about: "Start in free mode" };
const LITE: Flag = { long: "--lite", about: "Start in lite mode" };
const MAX: Flag = { long: "--max", about: "Start in max mode" };
const PLAN: Flag = { long: "--plan", about: "Start in plan mode" };
const CONTINUE: Flag = { long: "--continue", value: "[id]", about: "Continue a conversation" };
const AGENT: Flag = { long: "--agent", value: "<id>", about: "Run this agent" };
const CLEAR_LOGS: Flag = { long: "--clear-logs", about: "Remove the log file" };
const CWD: Flag = { long: "--cwd", value: "<directory>", about: "Work in this directory" };
const VERSION: Flag = { short: "-v", long: "--version", about: "Print the version" };
const HELP: Flag = { short: "-h", long: "--help", about: "Print this text" };

export interface Program {
  readonly flags: readonly Flag[];
  /** What is no prompt as the first word, unless the CLI runs non-interactively. */
  readonly commands: readonly string[];
  /** The flag without which the terminal UI opens; empty where there is no other way. */
  readonly nonInteractive: readonly string[];
}

export const PROGRAMS: { readonly [Profile in FakeCodebuffProfile]: Program } = {
  note: {
    flags: [
      ...[STREAM_JSON, JSON_OBJECT, NON_INTERACTIVE, QUIET, TIMEOUT, FREE, MAX, PLAN],
      ...[CONTINUE, CWD, VERSION, HELP],
    ],
    commands: [],
    nonInteractive: ["--stream-json", "--json", "--non-interactive"],
  },
  fork: {
    flags: [
      ...[JSON_OBJECT, NON_INTERACTIVE, QUIET, OUTPUT, TIMEOUT, LITE, MAX, PLAN],
      ...[CONTINUE, AGENT, CLEAR_LOGS, CWD, VERSION, HELP],
    ],
    commands: ["publish"],
    nonInteractive: ["--json", "--non-interactive"],
  },
  print: {
    flags: [PRINT, PARAMS, LITE, MAX, AGENT, CWD, VERSION, HELP],
    commands: ["publish", "init-agents"],
    nonInteractive: ["--print"],
  },
  tui: {
    flags: [FREE, LITE, MAX, PLAN, CONTINUE, AGENT, CLEAR_LOGS, CWD, VERSION, HELP],
    commands: ["publish", "login"],
    nonInteractive: [],
  },
};

/** `-o, --output <file>`. */
export function describeFlag({ short, long, value }: Flag): string {
  return `${short === undefined ? "" : `${short}, `}${long}${value === undefined ? "" : ` ${value}`}`;
}

export function helpText({ flags }: Program): string {
  const names = flags.map(describeFlag);
  const width = Math.max(...names.map(({ length }) => length)) + 2;
  const lines = flags.map(({ about }, index) => `  ${(names[index] ?? "").padEnd(width)}${about}`);
  return `${USAGE}\nOptions:\n${lines.join("\n")}\n`;
}

export const USAGE = "Usage: codebuff [options] [prompt...]\n";
