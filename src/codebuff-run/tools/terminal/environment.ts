// The environment variables of a command, without credentials.
import {
  CREDENTIAL_NAME,
  isCredentialParameter,
  urlCredentials,
} from "../../../core/tell/credential-names.ts";

export interface EnvironmentOptions {
  /** Variables for the program. They are passed on whatever their names are. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the program gets the variables of this process. With `false` it gets only those that nearly every program needs. @default true */
  readonly inheritEnv?: boolean;
  /** Variables of this process that are passed on although they look like credentials, or with `inheritEnv: false`. */
  readonly keepEnv?: readonly string[];
}

export interface EnvironmentSetup extends EnvironmentOptions {
  /** The environment of this process. */
  readonly own: Readonly<Record<string, string | undefined>>;
  /** The keys and tokens that this process uses. */
  readonly credentials: readonly string[];
  readonly platform: string;
}

/** Without these, common programs fail or print no text. */
const BASE: readonly string[] = ["PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR"];

/** Without these, Windows starts hardly any program. */
const BASE_OF_WINDOWS: readonly string[] = ["SystemRoot", "ComSpec", "PATHEXT", "TEMP"];

/** No pager, no question and no colour: nobody is there to answer, and a model reads the output. */
const QUIET: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  NO_COLOR: "1",
};

/** In many programs these override NO_COLOR. */
const COLOUR: readonly string[] = ["FORCE_COLOR", "CLICOLOR_FORCE"];

/** Words that make a variable a credential wherever they stand in its name: `AWS_ACCESS_KEY_ID`, `GEMINI_API_KEY_2`, `GH_PAT`, `DOCKER_AUTH_CONFIG`. */
const CREDENTIAL_WORD = new RegExp(`(?:^|[_.-])(?:${CREDENTIAL_NAME}|key|pat|o?auth)s?(?:$|[_.-])`, "i");

/** Ends and parts that need no separator before them: `SSHPASS`, `MYSQLPWD`, `SENTRY_DSN`, `AZURE_STORAGE_CONNECTION_STRING`. */
const CREDENTIAL_PART = /(?:pass|pwd|dsn)$|connection_?string/i;

/** Words that make a credential as the last of a name: `WEBHOOK_PORT` and `SEEDS_DIR` are none. */
const LAST_WORD = /(?:^|[_.-])(?:seed|webhook(?:[_.-]?url)?s?)$/i;

/** What a seed of a generator is, and a switch that seeds a database. The seed of a wallet is longer. */
const PLAIN_SEED = /^(?:\d{1,10}|true|false)?$/i;

/** No credentials: folders, of which the names end as those of passwords do, and the socket of an agent that keeps its keys. */
const HARMLESS: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK"]);

/** Length from which a credential is also looked for inside values, as in `Bearer <key>`. A shorter one would match innocent text. */
const SEARCHED = 8;

/**
 * The environment of a program that an agent starts: without the credentials of this process, unless the caller names them. A variable
 * whose value is a credential in use is passed on only by `env`.
 */
export function programEnvironment(setup: EnvironmentSetup): NodeJS.ProcessEnv {
  const { own, env = {}, inheritEnv = true, keepEnv = [], credentials, platform } = setup;
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
  /** By the form of the name that the system compares. */
  const made = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || !isPassed(name, value) || holdsCredential(value, credentials)) continue;
    made.set(nameOf(name), [name, value]);
  }
  for (const [name, value] of Object.entries({ ...QUIET, ...env })) made.set(nameOf(name), [name, value]);
  return Object.fromEntries(made.values());
}

/** Whether a variable of this name usually holds a key, a token or a password. */
export function isCredentialVariable(name: string, value: string): boolean {
  if (HARMLESS.has(name.toUpperCase()) || (/seed$/i.test(name) && PLAIN_SEED.test(value))) return false;
  return (
    CREDENTIAL_WORD.test(name) ||
    CREDENTIAL_PART.test(name) ||
    LAST_WORD.test(name) ||
    isCredentialParameter(name)
  );
}

function holdsCredential(value: string, credentials: readonly string[]): boolean {
  return credentials.some(
    (credential) =>
      credential !== "" &&
      (value === credential || (credential.length >= SEARCHED && value.includes(credential))),
  );
}
