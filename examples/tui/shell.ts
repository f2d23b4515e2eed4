import { spawn } from "node:child_process";
import type { CommandEnd, RunCommand } from "agentwire/ink";

/** ms between the polite signal and the one that no process can ignore. */
const GRACE = 1_000;

/** Runs a command in a shell that leads a process group of its own, so that whatever it starts can be stopped with it. */
export const runInShell: RunCommand = (command, onOutput) => {
  const shell = process.env["SHELL"] ?? "/bin/sh";
  const child = spawn(shell, ["-c", command], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const kill = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", onOutput);
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once("error", (error) => resolve({ type: "failed", reason: error.message }));
    child.once("close", (code, signal) =>
      resolve(signal === null ? { type: "exited", code: code ?? 0 } : { type: "killed", signal }),
    );
  });
  return {
    ended,
    stop: () => {
      kill("SIGTERM");
      const timer = setTimeout(() => kill("SIGKILL"), GRACE);
      void ended.then(() => clearTimeout(timer));
    },
  };
};

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ESRCH";
}
