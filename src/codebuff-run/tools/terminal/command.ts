// Runs one command until its process group has ended.
import type { CancelTimer, Clock } from "../../../core/clock.ts";
import { deferred } from "../../../core/deferred.ts";
import { type Exit, GroupProcess } from "../../../process/group-process.ts";
import { CommandOutput } from "./output.ts";
import { OutputProgress } from "./progress.ts";

export interface CommandSetup {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** ms; Infinity: no limit. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress: (output: string) => void;
}

/** How a command ended. `failed`: it could not start. */
export type TerminalEnd =
  | ({ readonly name: "exited"; readonly exit: Exit } & Outputs)
  | ({ readonly name: "aborted" } & Outputs)
  | { readonly name: "timeout" }
  | { readonly name: "failed"; readonly error: NodeJS.ErrnoException };

interface Outputs {
  readonly stdout: string;
  readonly stderr: string;
}

/** ms from SIGTERM to SIGKILL. Shorter than a stopped run's wait for its tools. */
const KILL_GRACE = 1_500;

/** Waits for the whole process group. `cwd` may be closed at once. @throws the error of `spawn` */
export function execute(setup: CommandSetup): Promise<TerminalEnd> {
  const { command, args, cwd, env, timeout, clock, signal, onProgress } = setup;
  const { promise, resolve } = deferred<TerminalEnd>();
  const progress = new OutputProgress(clock, onProgress);
  const stdout = new CommandOutput(progress.push);
  const stderr = new CommandOutput(progress.push);
  let because: "timeout" | "aborted" | undefined;
  let stopTimer: CancelTimer = () => {};

  const end = (reason: "timeout" | "aborted"): void => {
    because ??= reason;
    if (reason === "aborted") progress.stop();
    started.terminate(KILL_GRACE);
  };
  const abort = (): void => end("aborted");
  const settle = (ended: TerminalEnd): void => {
    stopTimer();
    signal.removeEventListener("abort", abort);
    progress.stop();
    resolve(ended);
  };

  const started = new GroupProcess({
    command,
    args,
    cwd,
    env,
    input: undefined,
    forwardSignals: false,
    scope: "group",
    clock,
    listener: {
      stdout: stdout.push,
      stderr: stderr.push,
      exited: () => stopTimer(), // the command was in time, whatever its children do
      ended: (exit) => {
        stdout.end();
        stderr.end();
        if (!signal.aborted) progress.flush();
        const outputs = { stdout: stdout.text, stderr: stderr.text };
        if (because === "aborted") settle({ name: "aborted", ...outputs });
        else settle(because ? { name: because } : { name: "exited", exit, ...outputs });
      },
      abandoned: () => {},
      failed: (error) => settle({ name: "failed", error }),
    },
  });
  if (timeout < Number.POSITIVE_INFINITY) stopTimer = clock.setTimeout(() => end("timeout"), timeout);
  signal.addEventListener("abort", abort, { once: true });
  return promise;
}
