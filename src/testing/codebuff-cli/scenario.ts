// The scenario of a run, as types: its script, its end, its switches.
import type { FakeCodebuffScript } from "./script.ts";

/**
 * The CLI that is played. `note`: as the published note describes it, with `--stream-json` and `--free`. `fork`: the
 * only build with a non-interactive mode. It has `--json`, `-o` and `--lite`, and rejects `--stream-json` and `--free`.
 * `print`: the older build with `-p`. Its `error` events go to stderr, and it exits with 0 if there was a response.
 * `tui`: the terminal UI, which writes escape sequences and never exits. The others open it too, if the option that
 * makes them non-interactive is missing.
 */
export type FakeCodebuffProfile = "note" | "fork" | "print" | "tui";

/** Answers, by parsed prompt; `default` is for all other prompts. */
interface FakeCodebuffAnswers {
  readonly byPrompt: { readonly [prompt: string]: FakeCodebuffScript };
  /** @default the events of a run without a script */
  readonly default?: FakeCodebuffScript;
}

/** How a run ends after its output. */
interface FakeCodebuffExit {
  /** @default 0; 1 after a failure, but 0 in `print` if there was a response */
  readonly code?: number;
  /** ms between the last output and the exit. @default 0 */
  readonly afterMs?: number;
  /** Ends with a signal to itself instead. */
  readonly signal?: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL" | "SIGSEGV" | "SIGABRT";
  /** Runs until it is killed. @default false */
  readonly never?: boolean;
}

/** An added `ask_user` call. */
export interface FakeCodebuffQuestion {
  /** @default "ask_1" */
  readonly toolCallId?: string;
  /** @default "ask_user" */
  readonly toolName?: string;
  /** @default one question with two options */
  readonly input?: unknown;
  /** The value of its `tool_result`; null leaves the question open. @default an `errorMessage`: no user can answer */
  readonly result?: unknown;
}

/** Output on stderr. */
interface FakeCodebuffNoise {
  /** The text, unchanged, including its newline. */
  readonly text: string;
  /** ms after the start of the run. The run waits for it before it ends. @default 0 */
  readonly atMs?: number;
}

/**
 * Why a run fails. An HTTP status: the chat request is refused, after the scripted output. `me`: the key is refused at
 * the start. `connect`: the server is unreachable.
 */
export type FakeCodebuffFailure =
  | "401"
  | "402"
  | "403"
  | "429"
  | "500"
  | "502"
  | "503"
  | "504"
  | "me"
  | "no-key"
  | "no-prompt"
  | "agent"
  | "no-response"
  | "connect";

/** The switches of the fake: output and behaviour that a program must handle when it runs a CLI. */
interface FakeCodebuffSwitches {
  // The answer

  /** Answers with a `text` that repeats the parsed prompt exactly, instead of `events`. @default false */
  readonly echoPrompt?: boolean;
  /** An `ask_user` call; `true` uses all defaults. */
  readonly askUser?: true | FakeCodebuffQuestion;
  /** The number of sub-agents, which run one after another and print one `text` each. @default 0 */
  readonly subagents?: number;
  /** A tool call with this number of `tool_progress` events before its result. @default 0 */
  readonly progress?: number;
  /** A `download` before all other output, as the launcher prints it. */
  readonly download?: "complete" | "failed";
  /** Prints a failure, and exits with its code. */
  readonly failWith?: FakeCodebuffFailure;
  /** ms until the failure. The real CLI needs 14 s for a 429 or 5xx. @default 0 */
  readonly failAfterMs?: number;

  // Framing

  /** Writes stdout in pieces of this number of bytes, which splits UTF-8 sequences. */
  readonly chunkBytes?: number;
  /** ms between those writes. @default 0 */
  readonly gapMs?: number;
  /** `none-last`: each line's newline comes with what follows it, and the last line has none. @default "\n" */
  readonly newline?: "\n" | "\r\n" | "none-last";
  /** A byte-order mark at the start. @default false */
  readonly bom?: boolean;
  /** The number of lines before the first event that are not events, such as banners and numbers. @default 0 */
  readonly junk?: number;
  /** A `text` event with a line of this number of bytes, at least 30, without its newline. */
  readonly hugeLine?: number;
  /** The number of short `text` events, or an endless flood; never faster than the reader. @default 0 */
  readonly flood?: number | "endless";
  /** A line with a bare `Infinity`, `-Infinity` and `NaN`. @default false */
  readonly infinity?: boolean;

  // stderr

  readonly stderr?: readonly FakeCodebuffNoise[];
  /** The number of bytes on stderr, beside the events. The run waits for them before it ends. @default 0 */
  readonly stderrFlood?: number;
  /** Where `error` events are printed. @default "stdout"; "stderr" in `print` */
  readonly errorEventOn?: "stdout" | "stderr";
  /** Whether the run prints progress on stderr, unless it is quiet. @default true in `fork`, else false */
  readonly traceLines?: boolean;

  // Changes to events

  /** Omits each `finish` of the root agent. @default false */
  readonly noFinish?: boolean;
  /** Prints each `finish` of the root agent twice. @default false */
  readonly dupFinish?: boolean;
  /** Prints each `start` twice. @default false */
  readonly dupStart?: boolean;
  /** The output after the last event; `true` is a `text`. @default false */
  readonly eventsAfterFinish?: boolean | FakeCodebuffScript;
  /** Adds the session id to each `start`, under this key. */
  readonly sessionKey?: string;
  /** The session id. @default the continued one, or else the time, as in the real CLI */
  readonly sessionId?: string;

  // The end

  /** Exits first; then another process prints all output. @default false */
  readonly exitBeforeFlush?: boolean;
  /** A grandchild in its own process group holds stdout and stderr, and stays for this number of ms after the run. */
  readonly holdPipes?: number;
  /** Closes stdout after the last output, before `exit.afterMs`. @default false */
  readonly closeStdout?: boolean;
  /** SIGTERM is recorded, otherwise ignored; also by a `grandchild`. @default false */
  readonly ignoreSigterm?: boolean;
  /** Continues after SIGTERM, and dies of it after this number of ms. */
  readonly slowSigterm?: number;
  /** A grandchild in the same process group, which runs until it is killed. @default false */
  readonly grandchild?: boolean;

  // Time

  /** ms before the first byte on stdout. @default 0 */
  readonly startDelayMs?: number;
  /** Stops forever after this number of events and chunks; 0 is before the first. */
  readonly stallAfter?: number;
  /** How long one second of `--timeout` lasts, in ms. @default 1000 */
  readonly secondMs?: number;
  /**
   * ms to wait for the first byte of stdin; after that there is no prompt. A busy machine may start the program, and run
   * its parent only later: raise this in tests of other things.
   * @default 100
   */
  readonly stdinWaitMs?: number;

  // Output modes, regardless of the options

  /** The output of `--json`, instead of the usual object. */
  readonly jsonObject?: { readonly [field: string]: unknown };
  /** Prints only the text, as it arrives, like `-n`. @default false */
  readonly plain?: boolean;
  /** Prints only the text, at the end, like `-q`. @default false */
  readonly quiet?: boolean;

  // Options and environment

  /** How options that the profile lacks are handled. @default "error"; "ignore" in `tui` */
  readonly unknownOption?: "error" | "ignore";
  /** The output of `--version`, and the version of a `download`. @default "1.0.600" */
  readonly version?: string;
  /** Fails without `CODEBUFF_API_KEY` and without a valid `credentialsFile`. @default false */
  readonly requireKey?: boolean;
  /** A credentials file. It takes precedence over the environment. @default none: no file is read */
  readonly credentialsFile?: string;
  /** A file that stores conversations by id, for `--continue`. @default none */
  readonly continueStore?: string;
  /**
   * What `--continue` does with an unknown id. `newest` continues the newest conversation, without an error. `none`
   * starts a new one. The profile `fork` always ignores `--continue`.
   * @default "newest"
   */
  readonly unknownSession?: "newest" | "none";
  /** Further environment variables to record. @default none */
  readonly recordEnv?: readonly string[];
}

/** The scenario of a run: JSON in the environment variable `FAKE_CODEBUFF_SCENARIO`, or the path of a JSON file. */
export interface FakeCodebuffScenario extends FakeCodebuffSwitches {
  /** @default "note" */
  readonly profile?: FakeCodebuffProfile;
  /** The script. @default a `start`, a `text` that repeats the prompt, and a `finish` of 1 credit */
  readonly events?: FakeCodebuffScript | FakeCodebuffAnswers;
  readonly exit?: FakeCodebuffExit;
}
