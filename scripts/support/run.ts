import { spawn } from "node:child_process";

export interface RunOptions {
  readonly cwd: string;
  /** ms; past it the process and its children are killed. @default 120_000 */
  readonly timeout?: number;
  /** Added to the environment of this process; `undefined` removes a name. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface RunResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** How it ended, for a message: `exit code 2`, `killed after 120 s`. */
  readonly ending: string;
}

/** Runs a program to its end, without a shell and without stdin; it never rejects for how the program ends. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const timeout = options.timeout ?? 120_000;
  return new Promise((resolve) => {
    // A process group of its own, so that a timeout, or the end of this process, ends what it started too.
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let stdout = "";
    let stderr = "";
    let timedOut = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const kill = () => killGroup(child.pid);
    process.once("exit", kill);
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeout);
    const end = (ok: boolean, ending: string) => {
      clearTimeout(timer);
      process.off("exit", kill);
      resolve({ ok, stdout, stderr, ending });
    };
    child.once("error", (error) => end(false, `could not be started: ${error.message}`));
    child.once("close", (code, signal) => {
      if (timedOut) end(false, `killed after ${timeout / 1000} s`);
      else end(code === 0, signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended between the timer and the signal: nothing left to kill.
  }
}

/** The last lines of what a program said, for a finding. */
export function tail(result: RunResult, lines = 20): string {
  return `${result.stdout}\n${result.stderr}`.trim().split("\n").slice(-lines).join("\n");
}

/** Lets a signal end this process as an exit does: children are ended and folders removed on exit, and a signal alone would end it without one. */
export function endOnSignal(): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => process.exit(code));
  }
}
