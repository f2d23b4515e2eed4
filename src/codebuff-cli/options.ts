// The options of a CLI client and of one prompt, with their checks and defaults.
import { type Check, type Checks, checks, defined, isObject, oneOf } from "../core/checks.ts";
import type { LocalSettings } from "../core/client/local-core.ts";
import { LOCAL_CHECKS, type LocalClientOptions, resolveLocalOptions } from "../core/client/local-options.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import { isArgument } from "../process/program.ts";
import type { CredentialOptions } from "./credentials.ts";

/**
 * The output format of the program. `stream-json`: a line of JSON for each event. `json`: one object at the end. `print`: lines of JSON,
 * as in earlier programs. `text`: only the final text, without events.
 */
export type CodebuffCliProfile = "stream-json" | "json" | "print" | "text";

export function saysAllAtEnd(profile: CodebuffCliProfile): boolean {
  return profile === "json" || profile === "text";
}

/** The agent's mode: its cost and strength, or only a plan. */
export type CodebuffCliMode = "default" | "free" | "max" | "plan";

/** Options of {@link CodebuffCli}. Times are in ms, sizes in bytes; 0 turns a time limit off. */
export interface CodebuffCliOptions extends CredentialOptions, LocalClientOptions {
  /** The program: a name to find in `PATH`, or a path. For apps that ship or pin their own program. @default "codebuff" */
  readonly command?: string;
  /** Arguments before all others. Trusted. For a `command` that needs arguments, such as Node with a script. @default none */
  readonly args?: readonly string[];
  /**
   * The output format. Set the option for programs other than the one of the published note; `probe()` finds a program's profile.
   * @default "stream-json"
   */
  readonly profile?: CodebuffCliProfile;
  /** The agent's mode, for apps whose user chooses between cost and strength. @default "default" */
  readonly mode?: CodebuffCliMode;
  /** The program's flag for its free mode, for builds that have renamed it. @default "--free" for `stream-json`, otherwise "--lite" */
  readonly freeFlag?: "--free" | "--lite";
  /**
   * The folder in which the agent works. The folder must exist. Set the option if the app is not started in the project. @default the
   * process's own folder
   */
  readonly cwd?: string;
  /** Variables to add to the environment of the process: settings of the program, and of the tools that its agent runs. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Gives the program an empty home folder, deleted afterwards. For servers: no login on the machine overrides `apiKey`. The program then
   * has no history. @default false
   */
  readonly isolateHome?: boolean;
  /** Starts nothing without an API key. For servers, where no user has logged in. @default false: the program may have its own login */
  readonly requireKey?: boolean;
  /**
   * How the prompt is passed. An argument is visible in the machine's list of processes: choose stdin on a shared machine. @default
   * "arg", and "stdin" for a prompt that is too long for an argument
   */
  readonly promptVia?: "arg" | "stdin";
  /** `false` for a program without support for `--`: then a prompt that begins with a dash is refused. @default true */
  readonly endOfOptions?: boolean;
  /** Refuses prompts that begin with one of these texts. For programs with commands that begin with other texts. @default ["/ralph"] */
  readonly commandPrefixes?: readonly string[];
  /** Allows prompts that begin with `commandPrefixes`. For apps whose user may run the program's own commands. @default false */
  readonly allowCommands?: boolean;
  /**
   * Concurrent processes; further prompts wait. Each process is an agent with its own tools, so choose a number that the machine can
   * bear. @default 4
   */
  readonly maxProcesses?: number;
  /**
   * From the start to the first byte of output. Raise the option for slow networks: a first start downloads the program. @default 60_000;
   * off where all output comes at the end
   */
  readonly startupTimeout?: number;
  /**
   * Between two pieces of output. Lower the option for impatient apps; raise it for slow tools. @default 600_000; off where all output
   * comes at the end
   */
  readonly idleTimeout?: number;
  /**
   * From `finish` until the program has ended by itself. Raise the option for programs that store much data at the end. @default 5_000
   */
  readonly exitGrace?: number;
  /** From SIGTERM to SIGKILL; 0: SIGKILL at once. Raise it for tools that need time to clean up. No effect on Windows. @default 5_000 */
  readonly killGrace?: number;
  /**
   * Fails a run that ended without `finish`. For apps that must not accept half an answer. @default false: some builds end without
   * `finish`
   */
  readonly requireFinish?: boolean;
  /**
   * Fails a conversation's next prompt if there is no session to continue. For apps that must not accept an answer without memory.
   * @default false: goes on without memory, with a warning
   */
  readonly requireContinuity?: boolean;
  /**
   * Allows `answer()` to answer a question of the agent with the next prompt of its conversation. For UIs that show questions. @default
   * false: the program itself takes no answer
   */
  readonly answerByContinue?: boolean;
  /**
   * Passes SIGINT, SIGTERM and SIGHUP on to running processes. For command line apps: a terminal's Ctrl-C does not reach the program,
   * which has its own process group. @default false: when a signal ends this process, running processes are killed; when the app handles
   * the signal, they go on
   */
  readonly forwardSignals?: boolean;
  /**
   * Bytes of one line of output. A longer line is skipped with a warning. Raise the option for tools with huge results. @default
   * 16_777_216
   */
  readonly maxLineBytes?: number;
  /** Bytes of the whole output, if the output is one object. Lower the option if memory is short. @default 67_108_864 */
  readonly maxOutputBytes?: number;
}

/** Options of one prompt. */
export interface CodebuffCliPromptOptions {
  /** Overrides the client's option of the same name. */
  readonly mode?: CodebuffCliMode;
  readonly cwd?: string;
  readonly promptVia?: "arg" | "stdin";
  readonly allowCommands?: boolean;
  /** Another agent than the mode's, for apps with their own agents. Not for `stream-json`. */
  readonly agent?: string;
  /** Parameters of `agent`. Only for `print`. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The session to continue, for apps that store sessions themselves. `conversation()` passes its own session. */
  readonly sessionId?: string;
  /**
   * The program's own time limit, in seconds. At the limit the program can still report its partial result. Sent in whole seconds; this
   * library enforces the limit too, 5 s later.
   */
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
  ...LOCAL_CHECKS,
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

/** A session id: the program cannot read it as a flag. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;

/** About 24 days: the longest time of a timer. */
const MAX_SECONDS = 2_000_000;

/** The defaults of a profile. */
function defaultsOf(profile: CodebuffCliProfile) {
  const isSilent = saysAllAtEnd(profile); // silence means nothing in these profiles
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
  } satisfies CodebuffCliOptions;
}

type Defaulted = keyof ReturnType<typeof defaultsOf>;

/** The options of a client, with every default. */
export type CodebuffCliSettings = Omit<CodebuffCliOptions, Defaulted | keyof LocalSettings> &
  Required<Pick<CodebuffCliOptions, Defaulted>> &
  LocalSettings;

/** @throws InvalidInputError for the first option that does not exist or is wrong. */
export function resolveOptions(options: CodebuffCliOptions): CodebuffCliSettings {
  const shared = resolveLocalOptions(options, CHECKS);
  return { ...defaultsOf(options.profile ?? "stream-json"), ...defined(options), ...shared };
}
