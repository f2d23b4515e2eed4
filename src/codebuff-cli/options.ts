import { type Check, type Checks, checkFields, checks, defined, isObject, oneOf } from "../core/checks.ts";
import { type SocketClientOptions, TURN_CHECKS } from "../core/client/options.ts";
import { Outbox } from "../core/client/outbox.ts";
import { systemClock } from "../core/clock.ts";
import { InvalidInputError } from "../core/errors.ts";
import { isArgument } from "./command.ts";
import type { CredentialOptions } from "./credentials.ts";

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
export interface CodebuffCliOptions
  extends CredentialOptions,
    Pick<
      SocketClientOptions, // what means the same on every client
      | "maxQueuedTurns"
      | "maxQueuedBytes"
      | "maxBufferedBytes"
      | "maxTextBytes"
      | "signal"
      | "logger"
      | "debug"
      | "clock"
    > {
  /** The program: a name that is looked for in `PATH`, or a path. For apps that ship or pin their own program. @default "codebuff" */
  readonly command?: string;
  /** Before all other arguments; trusted. For a `command` that needs them, such as Node and its script. @default none */
  readonly args?: readonly string[];
  /** For programs other than the one of the published note; `probe()` tells which profile a program has. @default "stream-json" */
  readonly profile?: CodebuffCliProfile;
  /** For apps whose user chooses between cost and strength. @default "default" */
  readonly mode?: CodebuffCliMode;
  /** The program's flag for its free mode, for builds that have renamed it. @default "--free" for `stream-json`, otherwise "--lite" */
  readonly freeFlag?: "--free" | "--lite";
  /** The folder in which the agent works; has to exist. Set by every app that is not started in the project. @default the process's own folder */
  readonly cwd?: string;
  /** Added to the environment of the process: for settings of the program and of the tools that its agent runs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gives the program an empty home, deleted afterwards. For servers: no login on the machine overrules `apiKey`. The program has no history then. @default false */
  readonly isolateHome?: boolean;
  /** Starts nothing without an API key. For servers, where nobody has logged in. @default false: the program may have logged in by itself */
  readonly requireKey?: boolean;
  /** How the prompt gets there. An argument is visible in the machine's list of processes: choose stdin on a shared machine. @default "arg", and "stdin" for a prompt that is too long for an argument */
  readonly promptVia?: "arg" | "stdin";
  /** `false` for a program that does not know `--`: a prompt that begins with a dash is refused then. @default true */
  readonly endOfOptions?: boolean;
  /** Refuses prompts that begin with one of these. For programs that take other words for commands of their own. @default ["/ralph"] */
  readonly commandPrefixes?: readonly string[];
  /** Lets prompts begin with `commandPrefixes`. For apps whose user may run the program's own commands. @default false */
  readonly allowCommands?: boolean;
  /** Processes at a time; more prompts wait. Each is an agent with tools of its own: set by what the machine can bear. @default 4 */
  readonly maxProcesses?: number;
  /** Until the first byte of output. Raised for slow networks: a first start downloads the program. @default 60_000; off where all output comes at the end */
  readonly startupTimeout?: number;
  /** Between two pieces of output. Lowered by impatient apps, raised for tools that run long. @default 600_000; off where all output comes at the end */
  readonly idleTimeout?: number;
  /** From `finish` until the program has ended by itself. Raised for programs that store much at their end. @default 5_000 */
  readonly exitGrace?: number;
  /** From the gentle signal to the firm one; 0 sends the firm one at once. Raised for agents whose tools need time to clean up. @default 5_000 */
  readonly killGrace?: number;
  /** Fails a run that ended without `finish`. For callers to whom half an answer is worse than none. @default false: builds may end without one */
  readonly requireFinish?: boolean;
  /** Fails a conversation's next prompt when there is no session to go on with. For callers to whom an answer without memory is worse than none. @default false: goes on without memory, with a warning */
  readonly requireContinuity?: boolean;
  /** Lets `answer()` answer a question of the agent by the next prompt of its conversation. For UIs that show questions. @default false: the program itself cannot be answered */
  readonly answerByContinue?: boolean;
  /**
   * Passes SIGINT, SIGTERM and SIGHUP on to what runs. For command line apps: a terminal's Ctrl-C does not reach the program,
   * which has a process group of its own. @default false: what runs is killed when this process dies of a signal, and lives on
   * when the app handles the signal
   */
  readonly forwardSignals?: boolean;
  /** Of one line of output; a longer one is skipped, with a warning. Raised for tools with huge results. @default 16_777_216 */
  readonly maxLineBytes?: number;
  /** Of the whole output, where it is one object. Lowered where memory is short. @default 67_108_864 */
  readonly maxOutputBytes?: number;
  /** Events that wait for a slow reader before the program's output is paused. Lowered where memory is short. @default 1_000 */
  readonly maxQueuedEvents?: number;
}

/** Options of one prompt. */
export interface CodebuffCliPromptOptions {
  /** As the client's options of these names. */
  readonly mode?: CodebuffCliMode;
  readonly cwd?: string;
  readonly promptVia?: "arg" | "stdin";
  readonly allowCommands?: boolean;
  /** Another agent than the mode's: for apps with agents of their own. Not for `stream-json`. */
  readonly agent?: string;
  /** Parameters of that agent. For `print` only. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The session to go on with, for callers that keep sessions themselves; `conversation()` passes its own. */
  readonly sessionId?: string;
  /** The limit that the program itself knows, in seconds, so that it can still say what it has. Sent in whole seconds; kept here too, 5 s later. */
  readonly timeoutSeconds?: number;
}

const MEBIBYTE = 1_048_576;

const strings: Check = {
  expects: "an array of strings without NUL",
  holds: (value) => Array.isArray(value) && value.every(isArgument),
};

const argument: Check = {
  expects: "a string that is not blank, without NUL",
  holds: (value) => isArgument(value) && value.trim() !== "",
};

/** The value of a flag: the program must not read it as another flag. */
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

/** An id of a session: the program cannot read it as a flag. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;

/** About 24 days: the longest that a timer can run. */
const MAX_SECONDS = 2_000_000;

/** The defaults of a profile. */
function defaultsOf(profile: CodebuffCliProfile) {
  const isSilent = saysAllAtEnd(profile); // so silence says nothing
  return {
    command: "codebuff",
    args: [],
    profile,
    mode: "default",
    freeFlag: profile === "stream-json" ? "--free" : "--lite",
    env: {},
    isolateHome: false,
    requireKey: false,
    promptVia: "arg",
    endOfOptions: true,
    commandPrefixes: ["/ralph"],
    allowCommands: false,
    maxProcesses: 4,
    startupTimeout: isSilent ? 0 : 60_000,
    idleTimeout: isSilent ? 0 : 600_000,
    exitGrace: 5_000,
    killGrace: 5_000,
    requireFinish: false,
    requireContinuity: false,
    answerByContinue: false,
    forwardSignals: false,
    maxLineBytes: 16 * MEBIBYTE,
    maxOutputBytes: 64 * MEBIBYTE,
    maxQueuedEvents: 1_000,
    maxQueuedTurns: 100,
    maxQueuedBytes: MEBIBYTE,
    maxBufferedBytes: 64 * MEBIBYTE,
    maxTextBytes: 64 * MEBIBYTE,
    debug: false,
  } satisfies CodebuffCliOptions;
}

type Defaulted = keyof ReturnType<typeof defaultsOf> | "clock";

/** The options of a client, with every default. */
export type CodebuffCliSettings = Omit<CodebuffCliOptions, Defaulted> &
  Required<Pick<CodebuffCliOptions, Defaulted>> & { readonly outbox: Outbox };

/** @throws InvalidInputError naming the first option that does not exist or is wrong. */
export function resolveOptions(options: CodebuffCliOptions): CodebuffCliSettings {
  if (!isObject(options as unknown)) {
    throw new InvalidInputError("the options are no object.", "Pass an object, or nothing.");
  }
  checkFields(options, CHECKS, "option");
  const outbox = new Outbox();
  return {
    ...defaultsOf(options.profile ?? "stream-json"),
    ...defined(options),
    outbox,
    clock: outbox.clock(options.clock ?? systemClock),
  };
}
