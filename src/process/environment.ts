// The environment of a program that an agent runs or that is an agent, without credentials.
import { CREDENTIAL_NAME, isCredentialParameter, urlCredentials } from "../core/tell/credential-names.ts";

export interface EnvironmentSetup {
  /** Additional variables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Passes this process's variables except credentials. `false`: PATH, HOME and a few more. @default true */
  readonly inheritEnv?: boolean | undefined;
  /** Variables to pass in any case. @default none */
  readonly keepEnv?: readonly string[] | undefined;
  /** Variables that replace those of this process. @default pagers, prompts and colours are off */
  readonly quiet?: Readonly<Record<string, string>> | undefined;
  readonly own: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** Common programs need these. */
const BASE: readonly string[] = ["PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR"];

/** Windows programs need these. */
const BASE_OF_WINDOWS: readonly string[] = ["SystemRoot", "ComSpec", "PATHEXT", "TEMP"];

/** Disables pagers, prompts and colours: a model reads the output. */
const QUIET: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  NO_COLOR: "1",
};

/** Override NO_COLOR in many programs. */
const COLOUR: readonly string[] = ["FORCE_COLOR", "CLICOLOR_FORCE"];

/** Words that mark a credential anywhere in a name, as in `AWS_ACCESS_KEY_ID` and `GH_PAT`. */
const CREDENTIAL_WORD = new RegExp(`(?:^|[_.-])(?:${CREDENTIAL_NAME}|key|pat|o?auth)s?(?:$|[_.-])`, "i");

/** Parts that need no separator, as in `SSHPASS`, `MYSQLPWD`, `SENTRY_DSN`. */
const CREDENTIAL_PART = /(?:pass|pwd|dsn)$|connection_?string/i;

/** Words that mark a credential only at the end: `WEBHOOK_PORT` and `SEEDS_DIR` are harmless. */
const LAST_WORD = /(?:^|[_.-])(?:seed|webhook(?:[_.-]?url)?s?)$/i;

/** Values of harmless seeds: numbers and switches. A wallet's seed is longer. */
const PLAIN_SEED = /^(?:\d{1,10}|true|false)?$/i;

/** Harmless despite their names: working folders, and the agent's socket. */
const HARMLESS: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK"]);

/** The environment of an agent's program. Drops this process's credentials unless the caller names them. */
export function programEnvironment(setup: EnvironmentSetup): NodeJS.ProcessEnv {
  const { own, env = {}, inheritEnv = true, keepEnv = [], quiet = QUIET, platform } = setup;
  const nameOf = platform === "win32" ? (name: string): string => name.toUpperCase() : String;
  const setOf = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(nameOf));
  const kept = setOf(keepEnv);
  const base = setOf([...BASE, ...(platform === "win32" ? BASE_OF_WINDOWS : [])]);
  const colour = setOf(COLOUR);
  const isPassed = (name: string, value: string): boolean => {
    const key = nameOf(name);
    if (kept.has(key)) return true;
    if (colour.has(key)) return false;
    if (!inheritEnv) return base.has(key) || key.startsWith("LC_");
    return (
      !/^CODEBUFF_/i.test(name) &&
      !isCredentialVariable(name, value) &&
      urlCredentials(value, true).length === 0
    );
  };
  /** Keyed as the system compares names. */
  const made = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || !isPassed(name, value)) continue;
    made.set(nameOf(name), [name, value]);
  }
  for (const [name, value] of Object.entries({ ...quiet, ...env })) made.set(nameOf(name), [name, value]);
  return Object.fromEntries(made.values());
}

/** Whether a variable usually holds a key, token or password. */
export function isCredentialVariable(name: string, value: string): boolean {
  if (HARMLESS.has(name.toUpperCase()) || (/seed$/i.test(name) && PLAIN_SEED.test(value))) return false;
  return (
    CREDENTIAL_WORD.test(name) ||
    CREDENTIAL_PART.test(name) ||
    LAST_WORD.test(name) ||
    isCredentialParameter(name)
  );
}
