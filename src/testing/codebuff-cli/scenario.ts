// What a run of the fake does, as types.
import type { FakeCodebuffScript } from "./script.ts";
import type { FakeCodebuffSwitches } from "./switches.ts";

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

/** What a run of the fake does: JSON in the environment variable `FAKE_CODEBUFF_SCENARIO`, or a path of such a file. */
export interface FakeCodebuffScenario extends FakeCodebuffSwitches {
  /** @default "note" */
  readonly profile?: FakeCodebuffProfile;
  /** What is said. @default a `start`, a `text` that says the prompt back, and a `finish` of 1 credit */
  readonly events?: FakeCodebuffScript | FakeCodebuffAnswers;
  readonly exit?: FakeCodebuffExit;
}
