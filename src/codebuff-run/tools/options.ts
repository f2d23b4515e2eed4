// The options of `nodeTools`, with their checks.
import { type Check, type Checks, checkFields, checks, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { FileFilter } from "./door/filter.ts";

/** Options of {@link nodeTools}. */
export interface NodeToolsOptions {
  /** The folder that tools work in, and cannot leave. A path relative to the working directory of this process, or an absolute one. */
  readonly root: string;
  /** Whether there are tools that write: `write_file`, `str_replace`, `apply_patch`. @default true */
  readonly write?: boolean;
  /**
   * Whether there is `run_terminal_command`. **A command can do all that you can do, outside of `root` too**: ask your user about each, or run
   * the whole process in a container. @default false
   */
  readonly terminal?: boolean | NodeTerminalOptions;
  /** Whether `code_search` takes flags of ripgrep, of a list that starts no program. @default false */
  readonly searchFlags?: boolean;
  /** ripgrep, as a path or a name in PATH. @default `rg` in PATH, then `@vscode/ripgrep` if it is installed, then a search without ripgrep */
  readonly ripgrepPath?: string;
  /** Says of each path, relative to `root`, whether tools may use it. What it throws blocks the path. */
  readonly fileFilter?: FileFilter;
  /** Whether `.gitignore` and `.codebuffignore` files block what they name. Tools then do not write them. @default true */
  readonly ignoreFiles?: boolean;
  /** Whether tools may read and write `.env`, `.env.*`, `.envrc` and copies such as `.env~` and `#.env#`. Their templates can always be read. @default false */
  readonly allowEnvFiles?: boolean;
}

/** Options of `run_terminal_command`. */
export interface NodeTerminalOptions {
  /** Variables for commands, besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether commands get the variables of this process, but for keys and tokens. With `false`: PATH, HOME and a few more. @default true */
  readonly inheritEnv?: boolean;
  /** Names of variables that look like keys or tokens, and that commands get all the same. @default none */
  readonly keepEnv?: readonly string[];
  /** A bash, as a path or a name in PATH. Windows needs it. @default bash, or sh where there is no bash */
  readonly shell?: string;
  /** Seconds that no command exceeds, whatever the agent asks for. @default 3_600: builds and tests end within an hour */
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
};

/** @throws InvalidInputError for the first option that is missing, does not exist or is wrong. */
export function checkOptions(options: NodeToolsOptions): void {
  if (!isObject(options as unknown))
    throw new InvalidInputError("there are no options.", "Pass { root }, the folder that tools work in.");
  checkFields(options, CHECKS, "option");
  if ((options.root as unknown) === undefined)
    throw new InvalidInputError("there is no `root`.", "Pass the folder that tools work in.");
}
