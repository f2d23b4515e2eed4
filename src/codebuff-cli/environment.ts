import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
