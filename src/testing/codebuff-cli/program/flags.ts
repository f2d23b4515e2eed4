// The options of each real program, parsed as the program does.
import type { FakeCodebuffProfile } from "../scenario.ts";

export interface Flag {
  readonly long: string;
  readonly short?: string;
  /** `<file>` for a required value, `[id]` for an optional one. */
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

interface ProgramFlags {
  readonly flags: readonly Flag[];
  /** First words that are commands, not prompts, in interactive mode. */
  readonly commands: readonly string[];
  /** Without this flag the terminal UI opens; empty if the program has no such mode. */
  readonly nonInteractive: readonly string[];
}

export const PROGRAMS: { readonly [Profile in FakeCodebuffProfile]: ProgramFlags } = {
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
function describeFlag({ short, long, value }: Flag): string {
  return `${short === undefined ? "" : `${short}, `}${long}${value === undefined ? "" : ` ${value}`}`;
}

export function helpText({ flags }: ProgramFlags): string {
  const names = flags.map(describeFlag);
  const width = Math.max(...names.map(({ length }) => length)) + 2;
  const lines = flags.map(({ about }, index) => `  ${(names[index] ?? "").padEnd(width)}${about}`);
  return `${USAGE_TEXT}\nOptions:\n${lines.join("\n")}\n`;
}

export const USAGE_TEXT = "Usage: codebuff [options] [prompt...]\n";

export interface Arguments {
  /** By long name. If an option is repeated, the last one. */
  readonly options: ReadonlyMap<string, string | true>;
  readonly words: readonly string[];
  /** Whether the first word precedes any `--`, so that it can be a command. */
  readonly firstWordIsBare: boolean;
  /** Options that the program lacks, unchanged. */
  readonly unknown: readonly string[];
  /** Any other error. */
  readonly mistake?: string;
}

/** As in the real parser, a lone `-` is a word. */
const looksLikeOption = (argument: string): boolean => argument.length > 1 && argument.startsWith("-");

/**
 * Parses arguments like the real CLI. A required value is the next argument, whatever it is. An optional value is the
 * next argument unless it looks like an option. `-oFILE` and `--opt=value` contain their values. `-nq` is two options.
 * After `--` there are only words.
 */
export function parseArguments(program: ProgramFlags, argv: readonly string[]): Arguments {
  const find = (name: string): Flag | undefined =>
    program.flags.find(({ short, long }) => name === short || name === long);
  const options = new Map<string, string | true>();
  const words: string[] = [];
  const unknown: string[] = [];
  let firstWordIsBare = false;
  let mistake: string | undefined;

  let at = 0;
  /** The rest of a group like `-nq`, after its first letter. */
  let rest: string | undefined;
  while (rest !== undefined || at < argv.length) {
    const argument = rest ?? argv[at++] ?? "";
    rest = undefined;
    if (argument === "--") {
      words.push(...argv.slice(at));
      break;
    }
    if (!looksLikeOption(argument)) {
      if (words.length === 0) firstWordIsBare = true;
      words.push(argument);
      continue;
    }
    const whole = find(argument);
    if (whole) {
      const next = argv[at];
      if (whole.value === undefined) options.set(whole.long, true);
      else if (whole.value.startsWith("<")) {
        if (next === undefined) mistake ??= `error: option '${describeFlag(whole)}' argument missing`;
        else options.set(whole.long, next);
        at++;
      } else if (next === undefined || looksLikeOption(next)) options.set(whole.long, true);
      else {
        options.set(whole.long, next);
        at++;
      }
      continue;
    }
    const letter = argument.startsWith("--") ? undefined : find(argument.slice(0, 2));
    if (letter) {
      if (letter.value === undefined) {
        options.set(letter.long, true);
        rest = `-${argument.slice(2)}`;
      } else options.set(letter.long, argument.slice(2));
      continue;
    }
    const equals = argument.indexOf("=");
    const assigned = argument.startsWith("--") && equals > 0 ? find(argument.slice(0, equals)) : undefined;
    if (assigned?.value === undefined) unknown.push(argument);
    else options.set(assigned.long, argument.slice(equals + 1));
  }
  return { options, words, firstWordIsBare, unknown, ...(mistake === undefined ? {} : { mistake }) };
}

/** The agent that answers. Plan takes precedence over max, max over free, and `--agent` over all. */
export function agentOf({ options }: Arguments): string {
  const agent = options.get("--agent");
  if (typeof agent === "string") return agent;
  if (options.has("--plan")) return "base2-plan";
  if (options.has("--max")) return "base2-max";
  if (options.has("--free")) return "base2-free";
  return options.has("--lite") ? "base2-lite" : "base2";
}
