// The options of a CLI client and of one prompt, with their checks and defaults.
import { type Check, type Checks, checks, defined, isObject, oneOf } from "../core/checks.ts";
import type { LocalSettings } from "../core/client/local-core.ts";
import { LOCAL_CHECKS, type LocalClientOptions, resolveLocalOptions } from "../core/client/local-options.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import { isArgument } from "../process/program.ts";
import type { CredentialOptions } from "./credentials.ts";

/**
 * The output format of the program. `stream-json`: one JSON line per event. `json`: one object at the end, from which
 * the events are made; calls are then numbered (`call_1`) and have no output. `print`: JSON lines, in earlier programs.
 * `text`: only the final text, without events.
 */
export type CodebuffCliProfile = "stream-json" | "json" | "print" | "text";

export function saysAllAtEnd(profile: CodebuffCliProfile): boolean {
  return profile === "json" || profile === "text";
}

/** The agent's mode: its cost and strength, or only a plan. */
export type CodebuffCliMode = "default" | "free" | "max" | "plan";

/** Options of {@link CodebuffCli}. Times are in ms, sizes in bytes; 0 turns a time limit off. */
export interface CodebuffCliOptions extends CredentialOptions, LocalClientOptions {
  /**
   * The program: a name in `PATH`, or a path, relative to the working directory of this process. Started without a shell;
   * on Windows, npm's `.cmd` files are resolved to their script. @default "codebuff"
   */
  readonly command?: string;
  /** Trusted arguments before all others. For a `command` such as Node with a script. @default none */
  readonly args?: readonly string[];
  /** The output format. `probe()` finds the right one for other builds. @default "stream-json" */
  readonly profile?: CodebuffCliProfile;
  /** The agent's mode, for apps whose user chooses between cost and strength. @default "default" */
  readonly mode?: CodebuffCliMode;
  /** Flag of the free mode; some builds renamed it. @default "--free" for `stream-json`, else "--lite" */
  readonly freeFlag?: "--free" | "--lite";
  /**
   * The agent's working folder, which must exist. Set it if the app does not start in the project.
   * @default the working directory of this process
   */
  readonly cwd?: string;
  /**
   * Environment variables for the program and the tools of its agent, added to all those of this process. The client
   * adds only the API key, and switches colours off. @default {}
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Gives the program an empty home folder (`HOME`, `USERPROFILE`) and deletes it afterwards. For servers: no login on
   * the machine can override `apiKey`. The program then has no history. @default false
   */
  readonly isolateHome?: boolean;
  /**
   * Starts nothing without an API key (`handshake-refused`, `rejected`). For servers, where no user has logged in.
   * @default false: the program may have its own login
   */
  readonly requireKey?: boolean;
  /**
   * How the prompt is passed. Use stdin on a shared machine: the process list shows arguments. Programs wait 100 ms for
   * stdin. A busy machine can exceed that: the turn fails with `no_prompt`, `not-sent`.
   * @default "arg"; "stdin" for more than 100,000 bytes, on Windows 24,000 characters
   */
  readonly promptVia?: "arg" | "stdin";
  /** `false` if the program lacks `--`: prompts that begin with a dash are then refused. @default true */
  readonly endOfOptions?: boolean;
  /** Refuses prompts that begin like this: the program runs them as commands. @default ["/ralph"] */
  readonly commandPrefixes?: readonly string[];
  /** Allows `commandPrefixes`. For apps whose user may run the program's commands. @default false */
  readonly allowCommands?: boolean;
  /** Concurrent processes; further prompts wait. Each is an agent with its own tools. @default 4 */
  readonly maxProcesses?: number;
  /**
   * From the start to the first byte of output. Raise it for slow networks: a first start downloads the program.
   * @default 60_000; off if all output comes at the end
   */
  readonly startupTimeout?: number;
  /**
   * Between two chunks of output, while you read. Error output does not count. Lower it to fail earlier; raise it for
   * slow tools. @default 600_000; off if all output comes at the end: a prompt's own limit then counts from the start
   */
  readonly idleTimeout?: number;
  /**
   * From `finish` to the exit. Then the program is ended, and the turn completes. Raise it for programs that store much
   * data at the end. @default 5_000
   */
  readonly exitGrace?: number;
  /** From SIGTERM to SIGKILL; 0 skips SIGTERM. Raise it for slow cleanup. Not on Windows. @default 5_000 */
  readonly killGrace?: number;
  /** Fails a run without `finish`, which may be half an answer. @default false: not all builds print it */
  readonly requireFinish?: boolean;
  /**
   * Fails a conversation's next prompt if there is no session to continue. For apps that need memory.
   * @default false: continues without memory, with a warning
   */
  readonly requireContinuity?: boolean;
  /**
   * Lets `answer()` send the answer as the conversation's next prompt, after the turn. Its turn comes with the client's
   * `turn` event. Until then the question is in `client.pending`; it ends if the conversation goes on or the client
   * closes. For UIs that show questions. @default false: a running program takes no answer
   */
  readonly answerByContinue?: boolean;
  /**
   * Forwards SIGINT, SIGTERM and SIGHUP to running processes. For command line apps: a terminal's Ctrl-C does not reach
   * the program, which has its own process group.
   * @default false: a signal that ends this process kills them; a signal that the app handles does not
   */
  readonly forwardSignals?: boolean;
  /** Bytes of a line. A longer line is skipped, with a warning. Tools may need more. @default 16_777_216 */
  readonly maxLineBytes?: number;
  /** Bytes of an output that comes at the end; more is a `protocol_error`. Lower it if memory is short. @default 67_108_864 */
  readonly maxOutputBytes?: number;
}

/** Options of one prompt. */
export interface CodebuffCliPromptOptions {
  /** Overrides the client's option. */
  readonly mode?: CodebuffCliMode;
  /** Overrides the client's option. */
  readonly cwd?: string;
  /** Overrides the client's option. */
  readonly promptVia?: "arg" | "stdin";
  /** Overrides the client's option. */
  readonly allowCommands?: boolean;
  /** The agent to use instead of the mode's agent. Not for `stream-json`. */
  readonly agent?: string;
  /** Parameters of `agent`. Only for `print`. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The session to continue, for apps that store sessions. A `conversation()` passes its own. */
  readonly sessionId?: string;
  /**
   * The program's own time limit in seconds from its start, sent as whole seconds if the profile has a flag. The program
   * can still report a partial result. This library enforces the limit 5 s later.
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

/** The value of a flag. The program must not read it as another flag. */
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

export const CLI_PROMPT_CHECKS = {
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

/** A session id that the program cannot read as a flag. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;

/** The longest possible timer: about 24 days. */
const MAX_SECONDS = 2_000_000;

function defaultsOf(profile: CodebuffCliProfile) {
  const isSilent = saysAllAtEnd(profile); // no output before the end: no limits on silence
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

export type CodebuffCliSettings = Omit<CodebuffCliOptions, Defaulted | keyof LocalSettings> &
  Required<Pick<CodebuffCliOptions, Defaulted>> &
  LocalSettings;

/** @throws InvalidInputError for the first option that does not exist or is wrong. */
export function resolveOptions(options: CodebuffCliOptions): CodebuffCliSettings {
  const shared = resolveLocalOptions(options, CHECKS);
  return { ...defaultsOf(options.profile ?? "stream-json"), ...defined(options), ...shared };
}
