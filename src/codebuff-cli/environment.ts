// The environment variables and the temporary folder of one process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConnectError, said } from "../core/errors.ts";
import { cleanCause } from "../core/tell/clean-cause.ts";
import type { CliCore } from "./cli-core.ts";
import { type CredentialReport, searchCredentials } from "./credentials.ts";

interface EnvironmentSetup {
  /** The variables that the caller adds. */
  readonly env: Readonly<Record<string, string>>;
  readonly apiKey: string | undefined;
  readonly isolateHome: boolean;
}

/** The environment of one process. `dispose` deletes its temporary home folder. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv;
  readonly dispose: () => void;
}

export function makeEnvironment({ env, apiKey, isolateHome }: EnvironmentSetup): Environment {
  // In many programs these two variables override NO_COLOR.
  const { FORCE_COLOR: _, CLICOLOR_FORCE: __, ...own } = process.env;
  const made: NodeJS.ProcessEnv = { ...own, ...env, NO_COLOR: "1" };
  if (apiKey !== undefined) made["CODEBUFF_API_KEY"] = apiKey;
  if (made["CODEBUFF_API_KEY"] === "") delete made["CODEBUFF_API_KEY"]; // some programs accept an empty key
  if (!isolateHome) return { env: made, dispose: () => {} };
  const home = mkdtempSync(join(tmpdir(), "codebuff-home-"));
  return {
    env: { ...made, HOME: home, USERPROFILE: home },
    dispose: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** The environments of a client's processes. The key is only in the environment, never in the arguments. */
export class Environments {
  readonly #core: CliCore;
  #isWarned = false;

  constructor(core: CliCore) {
    this.#core = core;
  }

  get credentials(): CredentialReport {
    return this.#search().report;
  }

  #search(): ReturnType<typeof searchCredentials> {
    return searchCredentials(this.#core.settings, this.#core.variables);
  }

  /** @throws ConnectError when no home folder can be made for the program */
  make(): Environment {
    const { redactor, settings, clean } = this.#core;
    const { env, isolateHome } = settings;
    const { report, keys } = this.#search();
    redactor.use("keys", ...keys); // includes keys that only the program reads
    const { credentials, warnings } = report;
    for (const { kind, message } of this.#isWarned ? [] : warnings) {
      // With an isolated home, the program cannot find the other key.
      if (kind !== "credential-conflict" || !isolateHome) this.#core.warn(kind, clean(message));
    }
    this.#isWarned = true;
    try {
      const made = makeEnvironment({ env, apiKey: credentials?.apiKey, isolateHome });
      return { env: made.env, dispose: () => this.#dispose(made) };
    } catch (cause) {
      throw new ConnectError(
        "no folder could be made for the program's own home; check the folder for temporary files (TMPDIR)",
        { cause: cleanCause(cause, clean), delivery: "not-sent", retryable: false },
      );
    }
  }

  /** Deletes the home folder. A failure is only a warning: a file may be protected or in use. */
  #dispose({ dispose }: Environment): void {
    try {
      dispose();
    } catch (cause) {
      const message = `the program's own home could not be deleted: ${said(cause)}`;
      this.#core.warn("home-left", this.#core.clean(message));
    }
  }
}
