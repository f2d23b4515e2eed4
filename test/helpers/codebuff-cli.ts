import type { CancelTimer } from "agentwire";
import { CodebuffCli, type CodebuffCliOptions, type ProtocolWarning } from "agentwire/codebuff-cli";
import { FakeCodebuffCli, type FakeCodebuffScenario, ManualClock } from "agentwire/testing";

/** A folder without credentials of anybody. */
export const NO_HOME = "/nowhere/at/all";

/** A clock that stands, and tells what it is asked for: processes have no other sign of having been noticed to be gone. */
export class WatchedClock extends ManualClock {
  readonly #armed: number[] = [];
  #told = (): void => {};

  override setTimeout(callback: () => void, delay: number): CancelTimer {
    this.#armed.push(delay);
    this.#told();
    return super.setTimeout(callback, delay);
  }

  /** Resolves once a timer of `delay` ms has been set. */
  async armed(delay: number): Promise<void> {
    while (!this.#armed.includes(delay)) {
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
    }
  }
}

export interface CliWorld extends AsyncDisposable {
  readonly cli: FakeCodebuffCli;
  readonly client: CodebuffCli;
  readonly clock: WatchedClock;
  readonly warnings: readonly ProtocolWarning[];
  /** Another client of the same program. */
  another(options?: CodebuffCliOptions): CodebuffCli;
}

/**
 * A fake program, and a client of it on a clock that stands. When its scope is left the clients are closed, and no timer may
 * be left behind.
 */
export async function cliWorld(
  scenario: FakeCodebuffScenario = {},
  options: CodebuffCliOptions = {},
): Promise<CliWorld> {
  // The program's 100 ms may pass before a busy machine lets the client write to stdin.
  const cli = await FakeCodebuffCli.start({ stdinWaitMs: 60_000, ...scenario });
  const clock = new WatchedClock();
  const clients: CodebuffCli[] = [];
  const another = (more: CodebuffCliOptions = {}): CodebuffCli => {
    const { args = [], env, ...others } = more;
    const client = new CodebuffCli({
      command: cli.command,
      args: [...cli.args, ...args],
      env: { CODEBUFF_API_KEY: "", ...cli.env, ...env },
      homeDir: NO_HOME,
      clock,
      ...others,
    });
    clients.push(client);
    return client;
  };
  try {
    const client = another(options);
    const warnings: ProtocolWarning[] = [];
    client.on("protocolWarning", (warning) => warnings.push(warning));
    return {
      cli,
      client,
      clock,
      warnings,
      another,
      async [Symbol.asyncDispose]() {
        await Promise.all(clients.map((each) => each.close({ force: true })));
        await cli.stop();
        if (clock.pending > 0) throw new Error(`${clock.pending} timers were left behind`);
      },
    };
  } catch (error) {
    await cli.stop();
    throw error;
  }
}

/** Whether a process is there, be it as a zombie. */
export function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A start and a text, and then the run waits for `cli.release("go")` before it finishes. */
export const HELD = [
  { type: "start", messageHistoryLength: 0 },
  { type: "text", text: "part" },
  { hold: "go" },
  { type: "text", text: " and rest" },
  { type: "finish", totalCost: 1 },
] as const;
