// Runs a command of the user in a shell.
import { type ChildProcess, spawn } from "node:child_process";
import type { CommandEnd, RunCommand } from "../../ink/index.ts";

/** ms between the polite signal and the one that no process can ignore. */
const GRACE = 1_000;

const start = (command: string) =>
  spawn(process.env["SHELL"] ?? "/bin/sh", ["-c", command], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Runs a command in a shell that leads a process group of its own, so that whatever it starts can be stopped with it. */
export const runInShell: RunCommand = (command, onOutput) => {
  let child: ReturnType<typeof start>;
  try {
    child = start(command);
  } catch (error) {
    // The system takes no command of more than about 100 KB, and none with a NUL character.
    const reason = error instanceof Error ? error.message : String(error);
    return { ended: Promise.resolve({ type: "failed", reason }), stop: () => {} };
  }
  const onExit = (): void => kill(child, "SIGKILL"); // the program ends without having stopped the command
  process.on("exit", onExit);
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", onOutput);
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once("error", (error) => resolve({ type: "failed", reason: error.message }));
    child.once("close", (code, signal) =>
      resolve(signal === null ? { type: "exited", code: code ?? 0 } : { type: "killed", signal }),
    );
  });
  void ended.then(() => process.off("exit", onExit));
  return { ended, stop: () => stop(child) };
};

/** Ends the whole group. A process that has left the group may hold the pipes open: they are closed with the shell. */
function stop(child: ChildProcess): void {
  const release = (): void => {
    kill(child, "SIGKILL"); // what is left of the group
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  if (child.exitCode !== null || child.signalCode !== null) {
    release();
    return;
  }
  kill(child, "SIGTERM");
  const timer = setTimeout(() => kill(child, "SIGKILL"), GRACE);
  child.once("exit", () => {
    clearTimeout(timer);
    release();
  });
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return; // it could not start
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ESRCH";
}
