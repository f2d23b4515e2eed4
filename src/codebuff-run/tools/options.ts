// The options of `nodeTools`, with their checks.
import { type Check, type Checks, checkFields, checks, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { FileFilter } from "./door/filter.ts";

/** Options of {@link nodeTools}. */
export interface NodeToolsOptions {
  /** The folder to which the tools are confined. Absolute, or relative to the working directory. */
  readonly root: string;
  /** Enables `write_file`, `str_replace` and `apply_patch`. @default true */
  readonly write?: boolean;
  /**
   * Enables `run_terminal_command`. **A command can do all that you can do, also outside of `root`.** Ask the user
   * before each command, or run the process in a container. @default false
   */
  readonly terminal?: boolean | NodeTerminalOptions;
  /**
   * Allows ripgrep flags in `code_search` that start no program: `-i -S -s -w -x -F -U --multiline-dotall -A -B -C -m -g -t
   * -T`. @default false
   */
  readonly searchFlags?: boolean;
  /**
   * ripgrep's path or name, version 13 or later. @default `rg` in PATH, then `@vscode/ripgrep`, then a slower search in a
   * worker thread that finds the same
   */
  readonly ripgrepPath?: string;
  /**
   * Decides whether tools may use a path, relative to `root`; asked again about the path behind a link. `allow-example`:
   * shown as a template. If it throws, the path is blocked. @default none
   */
  readonly fileFilter?: FileFilter;
  /** Whether `.gitignore` and `.codebuffignore` block files. Tools cannot write these two. @default true */
  readonly ignoreFiles?: boolean;
  /** What `tools.project` tells of the folder. @default the tree, knowledge files and the system; not git */
  readonly project?: NodeProjectOptions;
  /**
   * Allows `.env`, `.env.*`, `.envrc` and copies of editors (`.env~`, `#.env#`). `.env.example`, `.env.sample` and
   * `.env.template` are always readable. @default false
   */
  readonly allowEnvFiles?: boolean;
}

/** What prompts may say about the folder. */
export interface NodeProjectOptions {
  /**
   * The names of its files and folders, without ignored ones, level by level up to 25,000. A folder says how many are
   * missing. @default true
   */
  readonly tree?: boolean;
  /**
   * `AGENTS.md`, `CLAUDE.md` and `knowledge.md` (any case), at the root and, with the first file that `read_files` reads in
   * a folder, beside it. 256 KiB each. @default true
   */
  readonly knowledge?: boolean;
  /** The operating system and the shell. @default true */
  readonly system?: boolean;
  /**
   * The status, the differences and the last ten subjects. Starts `git` without hooks, monitors, filters and outside
   * programs, and refuses a repository that configures filters. @default false
   */
  readonly git?: boolean;
}

/** Options of `run_terminal_command`. */
export interface NodeTerminalOptions {
  /** Additional environment variables, such as a key that a command needs. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Passes this process's variables, except `CODEBUFF_*`, those that look like credentials by their names (`*_TOKEN`,
   * `*_SK`, `*_PW`, `*CREDS`, `OTP`, `SEED`, `MNEMONIC`, `*WEBHOOK_URL` and others), and those whose value has a password or a
   * token in a URL or is the address of a webhook. `false`: PATH, HOME, USER, LANG, LC_*, TERM and TMPDIR; on Windows also
   * SystemRoot, ComSpec, PATHEXT and TEMP. @default true
   */
  readonly inheritEnv?: boolean;
  /** Variables to pass although they look like credentials, or despite `inheritEnv: false`. @default none */
  readonly keepEnv?: readonly string[];
  /** The path of a bash, or its name in PATH. Required on Windows. @default bash, otherwise sh */
  readonly shell?: string;
  /** Upper limit in seconds for each command; Infinity: none. @default 3_600: builds and tests end within an hour */
  readonly maxTimeoutSeconds?: number;
}

const names: Check = {
  expects: "an array of names",
  holds: (value) => Array.isArray(value) && value.every(checks.text.holds),
};

const TERMINAL_CHECKS: Checks<NodeTerminalOptions> = {
  env: checks.headers,
  inheritEnv: checks.boolean,
  keepEnv: names,
  shell: checks.text,
  maxTimeoutSeconds: {
    expects: "a number above 0",
    holds: (value) => typeof value === "number" && value > 0,
  },
};

const PROJECT_CHECKS: Checks<NodeProjectOptions> = {
  tree: checks.boolean,
  knowledge: checks.boolean,
  system: checks.boolean,
  git: checks.boolean,
};

const CHECKS: Checks<NodeToolsOptions> = {
  root: checks.text,
  write: checks.boolean,
  terminal: {
    expects: "true, false, or an object of options",
    holds: (value) => typeof value === "boolean" || isObject(value),
    fields: TERMINAL_CHECKS,
  },
  searchFlags: checks.boolean,
  ripgrepPath: checks.text,
  fileFilter: checks.function,
  ignoreFiles: checks.boolean,
  allowEnvFiles: checks.boolean,
  project: { ...checks.object, fields: PROJECT_CHECKS },
};

/** @throws InvalidInputError for the first missing, unknown or invalid option */
export function checkOptions(options: NodeToolsOptions): void {
  if (!isObject(options as unknown))
    throw new InvalidInputError("there are no options.", "Pass { root }, the folder that tools work in.");
  checkFields(options, CHECKS, "option");
  if ((options.root as unknown) === undefined)
    throw new InvalidInputError("there is no `root`.", "Pass the folder that tools work in.");
}
