import { type Check, type Checks, checkFields, checks, isObject, oneOf } from "../core/checks.ts";
import { type Logger, TURN_CHECKS } from "../core/client/options.ts";
import { Outbox } from "../core/client/outbox.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { CredentialOptions } from "./credentials.ts";
import { isArgument } from "./environment.ts";

/**
 * How the program speaks. `stream-json`: a line of JSON for each event. `json`: one object at its end. `print`: lines of JSON,
 * as earlier programs had them. `text`: the final text alone, without events.
 */
export type CodebuffCliProfile = "stream-json" | "json" | "print" | "text";

export function saysAllAtEnd(profile: CodebuffCliProfile): boolean {
  return profile === "json" || profile === "text";
}

/** Which agent works: how much it costs, and whether it only plans. */
export type CodebuffCliMode = "default" | "free" | "max" | "plan";

/** Options of {@link CodebuffCli}. Times are in ms, sizes in bytes; 0 turns a time limit off. */
export interface CodebuffCliOptions extends CredentialOptions {
  /** The program: a name that is looked for in `PATH`, or a path. @default "codebuff" */
  readonly command?: string;
  /** Before all other arguments, such as the script when `command` is Node. Trusted. @default none */
  readonly args?: readonly string[];
  /** @default "stream-json", as the published note has it; `probe()` tells what a program can do */
  readonly profile?: CodebuffCliProfile;
  /** @default "default" */
  readonly mode?: CodebuffCliMode;
  /** What the program calls its free mode. @default "--free" for `stream-json`, otherwise "--lite" */
  readonly freeFlag?: "--free" | "--lite";
  /** Where the agent works; has to exist. @default the process's own folder */
  readonly cwd?: string;
  /** Added to the environment of the process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gives the program a home of its own, which is empty and deleted afterwards, so that no credentials but ours count. It has no history then. @default false */
  readonly isolateHome?: boolean;
  /** Starts nothing without an API key. @default false: the program may have logged in by itself */
  readonly requireKey?: boolean;
  /** How the prompt gets there: as an argument, which others on the machine can see in the list of processes, or over stdin. @default "arg", and "stdin" for one that is too long for that */
  readonly promptVia?: "arg" | "stdin";
  /** Whether the program knows `--`. Without it a prompt that begins with a dash is refused. @default true */
  readonly endOfOptions?: boolean;
  /** What a prompt must not begin with, since the program takes it for a command of its own. @default ["/ralph"] */
  readonly commandPrefixes?: readonly string[];
  /** Lets prompts begin with those. @default false */
  readonly allowCommands?: boolean;
  /** Processes at a time; more prompts wait. @default 4 */
  readonly maxProcesses?: number;
  /** Until the first byte of output. @default 60_000, since a first start fetches the program; off where all output comes at the end */
  readonly startupTimeout?: number;
  /** Between two lines of output. @default 600_000: a tool may run for long; off where all output comes at the end */
  readonly idleTimeout?: number;
  /** From its last word until the program has ended by itself. @default 5_000 */
  readonly exitGrace?: number;
  /** From the gentle signal to the firm one; 0 sends that at once. @default 5_000 */
  readonly killGrace?: number;
  /** A run without a `finish` has failed, although the program says otherwise. @default false */
  readonly requireFinish?: boolean;
  /** A conversation that has no session id to go on with refuses its next prompt. @default false: it goes on without memory, with a warning */
  readonly requireContinuity?: boolean;
  /** Lets `reply()` answer a question of the agent by the next prompt of its conversation. @default false: the program cannot be answered */
  readonly answerByContinue?: boolean;
  /**
   * Passes SIGINT, SIGTERM and SIGHUP on to what runs: it has a process group of its own, which a terminal's Ctrl-C does not
   * reach. @default false: what runs is killed when this process dies of a signal, and lives on when somebody listens to that
   */
  readonly forwardSignals?: boolean;
  /** Of one line of output; a longer one is skipped, with a warning. @default 16_777_216 */
  readonly maxLineBytes?: number;
  /** Of the whole output, where it is one object. @default 67_108_864 */
  readonly maxOutputBytes?: number;
  /** Events that wait for a slow reader before the program's output is paused. @default 1_000 */
  readonly maxQueuedEvents?: number;
  /** Prompts that wait for a process. @default 100 */
  readonly maxQueuedTurns?: number;
  /** Bytes of prompts that wait. @default 1_048_576 */
  readonly maxQueuedBytes?: number;
  /** Bytes of memory that the events of one turn may take while they wait for a reader that has not begun, estimated. @default 67_108_864 */
  readonly maxBufferedBytes?: number;
  /** Bytes of `result.text`; past it the result says `truncated`. @default 67_108_864 */
  readonly maxTextBytes?: number;
  /** Aborting it closes the client, as `close()` does. */
  readonly signal?: AbortSignal;
  readonly logger?: Logger;
  /** Writes each line of output that is read as one, without credentials; for error output there is the event `stderr`. @default false */
  readonly debug?: boolean;
  /** Time and chance; tests inject a `ManualClock`. @default the platform's */
  readonly clock?: Clock;
}

/** Options of one prompt. */
export interface CodebuffCliPromptOptions {
  /** As the client's options of these names. */
  readonly mode?: CodebuffCliMode;
  readonly cwd?: string;
  readonly promptVia?: "arg" | "stdin";
  readonly allowCommands?: boolean;
  /** Another agent than the mode's. Not for `stream-json`. */
  readonly agent?: string;
  /** Parameters of that agent. For `print` only. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The session to go on with; `conversation()` does that by itself. */
  readonly sessionId?: string;
  /** Told to the program in whole seconds, and kept here 5 s later, so that it can still say what it has. */
  readonly timeoutSeconds?: number;
}

/** Every option with its default. */
export type CodebuffCliSettings = Required<
  Omit<CodebuffCliOptions, "signal" | "logger" | "env" | "cwd" | keyof CredentialOptions>
> & {
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly outbox: Outbox;
};

const MEBIBYTE = 1_048_576;

/** Above it a line is more likely noise than an event. */
const MAX_LINE_BYTES = 16 * MEBIBYTE;

const strings: Check = {
  expects: "an array of strings without NUL",
  holds: (value) => Array.isArray(value) && value.every(isArgument),
};

const argument: Check = {
  expects: "a string that is not blank, without NUL",
  holds: (value) => isArgument(value) && value.trim() !== "",
};

/** A value that a program could read as a flag. */
const value: Check = {
  expects: "a string that does not begin with a dash, without NUL",
  holds: (given) => isArgument(given) && given !== "" && !given.startsWith("-"),
};

const CHECKS: Checks<CodebuffCliOptions> = {
  command: argument,
  args: strings,
  profile: oneOf("stream-json", "json", "print", "text"),
  mode: oneOf("default", "free", "max", "plan"),
  freeFlag: oneOf("--free", "--lite"),
  cwd: value,
  env: {
    expects: "an object of strings without NUL",
    holds: (given) =>
      isObject(given) &&
      Object.entries(given).every(
        ([name, text]) => isArgument(text) && isArgument(name) && name !== "" && !name.includes("="),
      ),
  },
  apiKey: { expects: "a string without NUL", holds: isArgument },
  homeDir: value,
  configDirName: value,
  credentialOrder: oneOf("documented", "cli"),
  isolateHome: checks.boolean,
  requireKey: checks.boolean,
  promptVia: oneOf("arg", "stdin"),
  endOfOptions: checks.boolean,
  commandPrefixes: strings,
  allowCommands: checks.boolean,
  maxProcesses: checks.count,
  startupTimeout: checks.delay,
  idleTimeout: checks.delay,
  exitGrace: checks.delay,
  killGrace: checks.delay,
  requireFinish: checks.boolean,
  requireContinuity: checks.boolean,
  answerByContinue: checks.boolean,
  forwardSignals: checks.boolean,
  maxLineBytes: checks.count,
  maxOutputBytes: checks.count,
  maxQueuedEvents: checks.count,
  maxQueuedTurns: checks.count,
  maxQueuedBytes: checks.count,
  maxBufferedBytes: checks.count,
  maxTextBytes: checks.count,
  signal: checks.signal,
  logger: checks.logger,
  debug: checks.boolean,
  clock: checks.object,
};

/** What the options of one prompt have to be. */
export const PROMPT_CHECKS = {
  ...TURN_CHECKS,
  mode: oneOf("default", "free", "max", "plan"),
  cwd: value,
  promptVia: oneOf("arg", "stdin"),
  allowCommands: checks.boolean,
  agent: value,
  params: checks.object,
  sessionId: {
    expects: "an id of letters, digits and . _ : @ -, at most 128 characters",
    holds: (given) => typeof given === "string" && SESSION_ID.test(given),
  },
  timeoutSeconds: {
    expects: "a number of seconds above 0",
    holds: (given) =>
      typeof given === "number" && Number.isFinite(given) && given > 0 && given <= MAX_SECONDS,
  },
} satisfies Record<string, Check>;

/** What a program takes as the id of a session, and never as a flag. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;

/** About 24 days: the longest that a timer can run. */
const MAX_SECONDS = 2_000_000;

/** @throws InvalidInputError naming the first option that does not exist or is wrong. */
export function resolveOptions(options: CodebuffCliOptions): CodebuffCliSettings {
  if (!isObject(options as unknown)) {
    throw new InvalidInputError("the options are no object.", "Pass an object, or nothing.");
  }
  checkFields(options, CHECKS, "option");
  const { profile = "stream-json" } = options;
  const outbox = new Outbox();
  const isSilent = saysAllAtEnd(profile); // and silence before it says nothing
  return {
    command: options.command ?? "codebuff",
    args: options.args ?? [],
    profile,
    mode: options.mode ?? "default",
    freeFlag: options.freeFlag ?? (profile === "stream-json" ? "--free" : "--lite"),
    cwd: options.cwd,
    env: options.env ?? {},
    isolateHome: options.isolateHome ?? false,
    requireKey: options.requireKey ?? false,
    promptVia: options.promptVia ?? "arg",
    endOfOptions: options.endOfOptions ?? true,
    commandPrefixes: options.commandPrefixes ?? ["/ralph"],
    allowCommands: options.allowCommands ?? false,
    maxProcesses: options.maxProcesses ?? 4,
    startupTimeout: options.startupTimeout ?? (isSilent ? 0 : 60_000),
    idleTimeout: options.idleTimeout ?? (isSilent ? 0 : 600_000),
    exitGrace: options.exitGrace ?? 5_000,
    killGrace: options.killGrace ?? 5_000,
    requireFinish: options.requireFinish ?? false,
    requireContinuity: options.requireContinuity ?? false,
    answerByContinue: options.answerByContinue ?? false,
    forwardSignals: options.forwardSignals ?? false,
    maxLineBytes: options.maxLineBytes ?? MAX_LINE_BYTES,
    maxOutputBytes: options.maxOutputBytes ?? 64 * MEBIBYTE,
    maxQueuedEvents: options.maxQueuedEvents ?? 1_000,
    maxQueuedTurns: options.maxQueuedTurns ?? 100,
    maxQueuedBytes: options.maxQueuedBytes ?? MEBIBYTE,
    maxBufferedBytes: options.maxBufferedBytes ?? 64 * MEBIBYTE,
    maxTextBytes: options.maxTextBytes ?? 64 * MEBIBYTE,
    debug: options.debug ?? false,
    outbox,
    clock: outbox.clock(options.clock ?? systemClock),
  };
}
