// The tool `run_terminal_command`.
import { parse } from "node:path";
import { type CancelTimer, type Clock, systemClock } from "../../../core/clock.ts";
import { deferred } from "../../../core/deferred.ts";
import { programEnvironment } from "../../../process/environment.ts";
import { type Exit, GroupProcess, type ProcessSetup } from "../../../process/group-process.ts";
import type { OpenFolder } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import type { LocalTool, ToolJob } from "../job.ts";
import type { NodeTerminalOptions } from "../options.ts";
import { CommandOutput } from "./output.ts";
import { OutputProgress } from "./progress.ts";
import { findShell } from "./shell.ts";

export interface RunCommandInput {
  readonly command: string;
  readonly process_type: "SYNC" | "BACKGROUND";
  readonly cwd?: string;
  /** 0: times out at once. Negative: limited only by `maxTimeoutSeconds`. */
  readonly timeout_seconds: number;
}

export interface TerminalOptions extends NodeTerminalOptions {
  readonly clock?: Clock;
}

/** How a command ended. `failed`: it could not start. */
type CommandEnd =
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

const MAX_TIMEOUT_SECONDS = 3_600;

const INTERRUPTED = "Command interrupted: the run was aborted.";

/** Waits for the command's whole process group. A process that leaves the group (`setsid`) goes on. */
export function runCommand(options: TerminalOptions = {}): LocalTool<RunCommandInput> {
  const { maxTimeoutSeconds = MAX_TIMEOUT_SECONDS } = options;
  return async (input, job) => {
    const { command, process_type: type, timeout_seconds: asked } = input;
    if (type === "BACKGROUND") return failure(command, "BACKGROUND process_type not implemented");
    if (command.includes("\0")) return failure(command, "The command has a NUL character.");
    if (/\p{Cs}/u.test(command)) return failure(command, "The command has half of a surrogate pair.");
    const seconds = Math.min(asked < 0 ? Number.POSITIVE_INFINITY : asked, maxTimeoutSeconds);
    const end = await run(input, seconds, options, job);
    return "errorMessage" in end ? failure(command, end.errorMessage) : resultOf(command, seconds, end);
  };
}

async function run(
  { command, cwd = "" }: RunCommandInput,
  seconds: number,
  { shell, clock = systemClock, ...options }: TerminalOptions,
  job: ToolJob,
): Promise<CommandEnd | { readonly errorMessage: string }> {
  const env = programEnvironment({ ...options, own: process.env, platform: process.platform });
  const program = findShell(shell, env);
  if ("problem" in program) return { errorMessage: program.problem };
  let folder: OpenFolder;
  try {
    folder = await job.door.openFolder(cwd);
  } catch (error) {
    if (error instanceof Refusal) return { errorMessage: `Invalid cwd: ${error.message}` };
    throw error;
  }
  let ended: Promise<CommandEnd>;
  try {
    if (job.signal.aborted) return { name: "aborted", stdout: "", stderr: "" };
    if (seconds === 0) return { name: "timeout" }; // no time, so do not start
    // `$0` for the shell's messages: otherwise they show its path.
    const args = [...program.args, command, parse(program.command).name];
    ended = execute({ command: program.command, args, cwd: folder.cwd, env, clock }, seconds * 1_000, job);
  } catch (error) {
    if (error instanceof Error) return { name: "failed", error };
    throw error;
  } finally {
    await folder.close();
  }
  return ended;
}

/** Waits for the whole process group. `cwd` may be closed at once. @param timeout in ms @throws the error of `spawn` */
function execute(
  program: Pick<ProcessSetup, "command" | "args" | "cwd" | "env" | "clock">,
  timeout: number,
  { signal, onProgress }: ToolJob,
): Promise<CommandEnd> {
  const { clock } = program;
  const { promise, resolve } = deferred<CommandEnd>();
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
  const settle = (ended: CommandEnd): void => {
    stopTimer();
    signal.removeEventListener("abort", abort);
    progress.stop();
    resolve(ended);
  };

  const started = new GroupProcess({
    ...program,
    input: undefined,
    forwardSignals: false,
    scope: "group",
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

function resultOf(command: string, seconds: number, end: CommandEnd): object {
  switch (end.name) {
    case "exited": {
      const { code, signal } = end.exit;
      return { command, ...outputsOf(end), ...(code === null ? { signal } : { exitCode: code }) };
    }
    case "aborted":
      return { command, ...outputsOf(end), message: INTERRUPTED };
    case "timeout":
      return failure(command, `Command timed out after ${seconds} seconds`);
    case "failed": {
      // The error's message contains the shell's path.
      const { code = "unknown error" } = end.error;
      const why = code === "E2BIG" ? "it is too long for this system" : code;
      return failure(command, `The command could not be started: ${why}.`);
    }
    default:
      return end satisfies never;
  }
}

function outputsOf({ stdout, stderr }: Outputs): object {
  return { stdout, ...(stderr === "" ? {} : { stderr }) };
}

function failure(command: string, errorMessage: string): object {
  return { command, errorMessage };
}
