// `CliCore`: the shared parts of the CLI client: settings, redaction, the check for the program.
import { LocalCore } from "../core/client/local-core.ts";
import { Redactor } from "../core/tell/redact.ts";
import { locate } from "../process/program.ts";
import { secretsGiven } from "./credentials.ts";
import { notStarted } from "./errors.ts";
import { CLI_EVENTS, type CodebuffCliClientEvents } from "./events.ts";
import { homeFolder, withoutHome } from "./folder.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import type { CodebuffCliSettings } from "./options.ts";
import type { CodebuffCliResult } from "./turn.ts";

export class CliCore extends LocalCore<CodebuffCliEvent, CodebuffCliResult, CodebuffCliClientEvents> {
  readonly settings: CodebuffCliSettings;
  /** Removes credentials and the user's folder from the program's output. */
  readonly clean: (text: string) => string;

  constructor(settings: CodebuffCliSettings) {
    const { apiKey, homeDir, env, args } = settings;
    const redactor = new Redactor();
    super({ settings, events: CLI_EVENTS, redactor, backend: "the program" });
    redactor.use("options", apiKey, ...secretsGiven(env, args));
    const home = homeFolder();
    this.settings = settings;
    this.clean = (text) => redactor.redact(withoutHome(withoutHome(text, homeDir), home));
  }

  /** The environment of this process, with the caller's additions. */
  get variables(): NodeJS.ProcessEnv {
    return { ...process.env, ...this.settings.env };
  }

  /** Checks whether the program exists. */
  protected override async look(): Promise<void> {
    const { command } = this.settings;
    try {
      locate(command, this.variables);
    } catch (cause) {
      throw notStarted(command, cause, this.clean);
    }
  }
}
