// The record of a run of the fake, as types.

/** A signal that a run received. */
interface FakeCodebuffSignal {
  readonly signal: string;
  /** ms after the start of the run. */
  readonly atMs: number;
}

/** How a run ended. Both are null if it was killed and could not record its end. */
interface FakeCodebuffEnd {
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

/** The record of one run: written at its start, at each change, and at its end. */
export interface FakeCodebuffRecord {
  /** The arguments after the script's path. */
  readonly argv: readonly string[];
  /** The working directory at the start, before any `--cwd`. */
  readonly cwd: string;
  readonly pid: number;
  /** The process group; missing on Windows. */
  readonly pgid?: number;
  /** When the run started, in ms since the epoch. */
  readonly startedAt: number;
  readonly stdin: {
    /** `closed`: stdin is not readable, as with stdio `"ignore"`. */
    readonly kind: "tty" | "closed" | "pipe" | "file";
    /** The whole input; missing if the run did not read, because it had a prompt already. */
    readonly text?: string;
  };
  /**
   * `HOME`, `USERPROFILE`, `NO_COLOR`, variables that start with `CODEBUFF_`, and those of `recordEnv`. Each occurrence
   * of a non-empty key is replaced by `sha256:` and its hexadecimal hash.
   */
  readonly env: { readonly [name: string]: string };
  /** The known options, by long name; `true` for an option without a value. */
  readonly options: { readonly [name: string]: string | true };
  /** The options that the profile lacks, unchanged. */
  readonly unknownOptions: readonly string[];
  /** The agent of the mode (`base2`, `base2-free`, `base2-lite`, `base2-max`, `base2-plan`), or of `--agent`. */
  readonly agent: string;
  /** The parsed prompt; missing without one. */
  readonly prompt?: string;
  readonly promptFrom?: "argv" | "stdin";
  /** The key in use, if a key was looked up (`requireKey`, `credentialsFile`). */
  readonly key?: { readonly from: "env" | "file"; readonly sha256: string };
  /** The conversation and its earlier messages, with a `continueStore` or a `sessionKey`. */
  readonly sessionId?: string;
  readonly history?: readonly FakeCodebuffMessage[];
  readonly signals: readonly FakeCodebuffSignal[];
  /** The processes that this run started. */
  readonly grandchildren: readonly number[];
  /** Whether the reader left before all output was printed. */
  readonly stdoutBroken: boolean;
  /** Missing while the run is running. */
  readonly end?: FakeCodebuffEnd;
}
