import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isCredentialParameter } from "../core/client/credential-names.ts";

export interface EnvironmentSetup {
  /** The user's own additions. */
  readonly env: Readonly<Record<string, string>>;
  readonly apiKey: string | undefined;
  readonly isolateHome: boolean;
}

/** The environment of one process, and what deletes again what was made for it. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv;
  readonly dispose: () => void;
}

/** This process's own environment, with what was added, the key, and nothing else. */
export function makeEnvironment({ env, apiKey, isolateHome }: EnvironmentSetup): Environment {
  // Many programs let these overrule NO_COLOR.
  const { FORCE_COLOR: _, CLICOLOR_FORCE: __, ...own } = process.env;
  const made: NodeJS.ProcessEnv = { ...own, ...env, NO_COLOR: "1" };
  if (apiKey !== undefined) made["CODEBUFF_API_KEY"] = apiKey;
  if (made["CODEBUFF_API_KEY"] === "") delete made["CODEBUFF_API_KEY"]; // an empty one counts as one for some
  if (!isolateHome) return { env: made, dispose: () => {} };
  const home = mkdtempSync(join(tmpdir(), "codebuff-home-"));
  return {
    env: { ...made, HOME: home, USERPROFILE: home },
    dispose: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** What can be an argument, or a value in the environment: not what ends with a NUL for the system. */
export function isArgument(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0");
}

/** Variables of shells and desktops whose names end like those of credentials: a folder, and words such as `ubuntu`. */
const NO_CREDENTIALS: ReadonlySet<string> = new Set(["PWD", "DESKTOP_SESSION", "KONSOLE_DBUS_SESSION"]);

/** The credentials that the caller gives the program, by their names: variables such as `GITHUB_TOKEN`, arguments such as `--api-key k` or `--api-key=k`. */
export function secretsGiven(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): readonly string[] {
  const inEnv = Object.entries(env).filter(
    ([name]) => isCredentialParameter(name) && !NO_CREDENTIALS.has(name),
  );
  const inArgs = args.flatMap((arg, at) => {
    const [, name = "", value] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    return isCredentialParameter(name) ? [value ?? args[at + 1] ?? ""] : [];
  });
  return [...inEnv.map(([, value]) => value), ...inArgs];
}
