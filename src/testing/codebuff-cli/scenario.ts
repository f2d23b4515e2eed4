// What a run of the fake does, as types: its script, its end, its switches.
import type { FakeCodebuffScript } from "./script.ts";

/**
 * Which CLI is played. `note`: as the published note describes it, with `--stream-json` and `--free`. `fork`: the only
 * build with a non-interactive mode, which has `--json`, `-o` and `--lite`, and rejects those two. `print`: the older
 * build with `-p`, whose `error` events go to stderr and which exits with 0 once there was a response. `tui`: the
 * terminal UI, which writes escape sequences and never exits.
 */
export type FakeCodebuffProfile = "note" | "fork" | "print" | "tui";

/** Answers by the prompt as it was parsed; `default` is for every other one. */
export interface FakeCodebuffAnswers {
  readonly byPrompt: { readonly [prompt: string]: FakeCodebuffScript };
  /** @default the events of a run without a script */
  readonly default?: FakeCodebuffScript;
}

/** How a run ends, once everything is printed. */
export interface FakeCodebuffExit {
  /** @default 0; 1 behind a failure, but 0 in `print` once there was a response */
  readonly code?: number;
  /** How long the process stays behind its last output, in ms. @default 0 */
  readonly afterMs?: number;
  /** Ends by a signal to itself instead. */
  readonly signal?: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL" | "SIGSEGV" | "SIGABRT";
  /** Stays until it is killed. @default false */
  readonly never?: boolean;
}

/** An `ask_user` call among the events. */
export interface FakeCodebuffQuestion {
  /** @default "ask_1" */
  readonly toolCallId?: string;
  /** @default "ask_user" */
  readonly toolName?: string;
  /** @default one question with two options */
  readonly input?: unknown;
  /** The value of its `tool_result`; null leaves the question open. @default an `errorMessage`: nobody could answer */
  readonly result?: unknown;
}

/** Something on stderr. */
export interface FakeCodebuffNoise {
  /** As it is, newline included. */
  readonly text: string;
  /** ms after the start of the run, whose end waits for it. @default 0 */
  readonly atMs?: number;
}

/**
 * Why a run fails. With an HTTP status it is the chat request that was refused, and what was scripted is printed before;
 * `me`: the key was refused at the beginning; `connect`: there is no server.
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

/** The switches of the fake: what programs that read from a CLI have to survive. */
export interface FakeCodebuffSwitches {
  // What is answered

  /** Answers with a `text` that is the prompt exactly as it was parsed, in place of `events`. @default false */
  readonly echoPrompt?: boolean;
  /** An `ask_user` call; `true` is one with all defaults. */
  readonly askUser?: true | FakeCodebuffQuestion;
  /** So many sub-agents, one after the other, each with a `text` of its own. @default 0 */
  readonly subagents?: number;
  /** A tool call with so many `tool_progress` before its result. @default 0 */
  readonly progress?: number;
  /** A `download` before everything, as the launcher prints it. */
  readonly download?: "complete" | "failed";
  /** Prints what a failure prints, and exits with its code. */
  readonly failWith?: FakeCodebuffFailure;
  /** How long it takes to fail, in ms; the real one takes 14 s over a 429 or 5xx. @default 0 */
  readonly failAfterMs?: number;

  // Framing

  /** Writes stdout so many bytes at a time, which cuts UTF-8 sequences. */
  readonly chunkBytes?: number;
  /** ms between those writes. @default 0 */
  readonly gapMs?: number;
  /** `none-last`: each line's newline comes with what follows it, and the last line has none. @default "\n" */
  readonly newline?: "\n" | "\r\n" | "none-last";
  /** A byte-order mark before everything. @default false */
  readonly bom?: boolean;
  /** So many lines that are no event, before the first one: banners, progress bars, arrays, numbers. @default 0 */
  readonly junk?: number;
  /** A `text` event whose line has so many bytes, at least 30, without its newline. */
  readonly hugeLine?: number;
  /** So many short `text` events, or without end; no faster than they are read. @default 0 */
  readonly flood?: number | "endless";
  /** A line with a bare `Infinity`, `-Infinity` and `NaN`. @default false */
  readonly infinity?: boolean;

  // stderr

  readonly stderr?: readonly FakeCodebuffNoise[];
  /** So many bytes of lines on stderr, beside the events. The end of the run waits for them. @default 0 */
  readonly stderrFlood?: number;
  /** Where `error` events go. @default "stdout"; "stderr" in `print` */
  readonly errorEventOn?: "stdout" | "stderr";
  /** Whether the progress of a run is told on stderr, unless it is quiet. @default true in `fork`, else false */
  readonly traceLines?: boolean;

  // What the events are like

  /** Leaves out each `finish` of the root agent. @default false */
  readonly noFinish?: boolean;
  /** Prints each `finish` of the root agent twice. @default false */
  readonly dupFinish?: boolean;
  /** Prints each `start` twice. @default false */
  readonly dupStart?: boolean;
  /** What comes behind the last event; `true` is a `text`. @default false */
  readonly eventsAfterFinish?: boolean | FakeCodebuffScript;
  /** Adds the id of the session to each `start`, under this key. */
  readonly sessionKey?: string;
  /** That id. @default the one that is continued, or else the time, as the real CLI makes it */
  readonly sessionId?: string;

  // How it ends

  /** Exits first, and has everything printed by another process afterwards. @default false */
  readonly exitBeforeFlush?: boolean;
  /** A grandchild in a group of its own holds stdout and stderr, and stays so many ms behind the end of the run. */
  readonly holdPipes?: number;
  /** Closes stdout behind the last output, before the time of `exit.afterMs`. @default false */
  readonly closeStdout?: boolean;
  /** SIGTERM is noted, and that is all; a `grandchild` ignores it too. @default false */
  readonly ignoreSigterm?: boolean;
  /** Dies of SIGTERM so many ms later, and goes on meanwhile. */
  readonly slowSigterm?: number;
  /** A grandchild in the same process group, which stays until it is killed. @default false */
  readonly grandchild?: boolean;

  // Time

  /** ms before the first byte on stdout. @default 0 */
  readonly startDelayMs?: number;
  /** Stops for ever behind so many events and chunks; 0 is before the first. */
  readonly stallAfter?: number;
  /** How long one second of `--timeout` lasts, in ms. @default 1000 */
  readonly secondMs?: number;
  /** How long stdin may take to its first byte, in ms, before there is no prompt. @default 100 */
  readonly stdinWaitMs?: number;

  // Output modes, whatever the options say

  /** What `--json` prints, in place of what the events make. */
  readonly jsonObject?: { readonly [field: string]: unknown };
  /** Prints the text alone, as it comes, as `-n` does. @default false */
  readonly plain?: boolean;
  /** Prints the text alone, at the end, as `-q` does. @default false */
  readonly quiet?: boolean;

  // Options and surroundings

  /** What becomes of an option that the profile lacks. @default "error"; "ignore" in `tui` */
  readonly unknownOption?: "error" | "ignore";
  /** What `--version` prints, and the version of a `download`. @default "1.0.600" */
  readonly version?: string;
  /** Fails without a key: neither `CODEBUFF_API_KEY` nor a valid `credentialsFile`. @default false */
  readonly requireKey?: boolean;
  /** A credentials file, which beats the environment, as with the real CLI. @default none: no file is read */
  readonly credentialsFile?: string;
  /** A file in which conversations are kept by id, so that `--continue` has something to continue. @default none */
  readonly continueStore?: string;
  /**
   * What `--continue` does with an id that is not in the store. `newest` continues the newest conversation without a
   * word; `none` begins a new one. `fork` ignores `--continue` altogether.
   * @default "newest"
   */
  readonly unknownSession?: "newest" | "none";
  /** More variables of the environment that go into the record. @default none */
  readonly recordEnv?: readonly string[];
}

/** What a run of the fake does: JSON in the environment variable `FAKE_CODEBUFF_SCENARIO`, or a path of such a file. */
export interface FakeCodebuffScenario extends FakeCodebuffSwitches {
  /** @default "note" */
  readonly profile?: FakeCodebuffProfile;
  /** What is said. @default a `start`, a `text` that says the prompt back, and a `finish` of 1 credit */
  readonly events?: FakeCodebuffScript | FakeCodebuffAnswers;
  readonly exit?: FakeCodebuffExit;
}
