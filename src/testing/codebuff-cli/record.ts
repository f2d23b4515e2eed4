// What one run of the fake saw and did, as types.

/** A signal that reached a run. */
export interface FakeCodebuffSignal {
  readonly signal: string;
  /** ms after the start of the run. */
  readonly atMs: number;
}

/** How a run ended. Both are null where it was killed, and could not say anything any more. */
export interface FakeCodebuffEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** ms after the start of the run. */
  readonly atMs: number;
}

/** One message of a conversation in the `continueStore`. */
export interface FakeCodebuffMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** What one run of the fake saw and did: written when it starts, when something is added, and when it ends. */
export interface FakeCodebuffRecord {
  /** The arguments behind the script's path. */
  readonly argv: readonly string[];
  /** The working directory at the start, before any `--cwd`. */
  readonly cwd: string;
  readonly pid: number;
  /** The process group; missing on Windows. */
  readonly pgid?: number;
  /** When the run started, in ms since the epoch. */
  readonly startedAt: number;
  readonly stdin: {
    /** `closed`: nothing can be read from it, as with stdio `"ignore"`. */
    readonly kind: "tty" | "closed" | "pipe" | "file";
    /** What was read, all of it; missing where the run did not read, because it had a prompt already. */
    readonly text?: string;
  };
  /**
   * `HOME`, `USERPROFILE`, `NO_COLOR`, all that begin with `CODEBUFF_`, and those of `recordEnv`. A key that is not empty
   * is `sha256:` and its hash in hexadecimal, wherever in a value it is.
   */
  readonly env: { readonly [name: string]: string };
  /** The options that were understood, by their long names; `true` for those without a value. */
  readonly options: { readonly [name: string]: string | true };
  /** The options that the profile lacks, as they were given. */
  readonly unknownOptions: readonly string[];
  /** The agent of the mode: `base2`, `base2-free`, `base2-lite`, `base2-max`, `base2-plan`, or that of `--agent`. */
  readonly agent: string;
  /** As it was parsed; missing where there was none. */
  readonly prompt?: string;
  readonly promptFrom?: "argv" | "stdin";
  /** The key that counts, where one was looked for (`requireKey`, `credentialsFile`). */
  readonly key?: { readonly from: "env" | "file"; readonly sha256: string };
  /** The conversation, and what was said in it before: with a `continueStore` or a `sessionKey`. */
  readonly sessionId?: string;
  readonly history?: readonly FakeCodebuffMessage[];
  readonly signals: readonly FakeCodebuffSignal[];
  /** The processes that this run has started. */
  readonly grandchildren: readonly number[];
  /** Whether nobody read any more while there was more to print. */
  readonly stdoutBroken: boolean;
  /** Missing while it runs. */
  readonly end?: FakeCodebuffEnd;
}
