// #region tui-commands
import { spawn } from "node:child_process";
import { type CommandEnd, type RunCommand, renderChat } from "agentwire/ink";

const start = (command: string) =>
  spawn("sh", ["-c", command], { detached: true, stdio: ["ignore", "pipe", "pipe"] }); // leads a process group

const runCommand: RunCommand = (command, onOutput) => {
  let child: ReturnType<typeof start>;
  try {
    child = start(command);
  } catch (error) {
    return { ended: Promise.resolve({ type: "failed", reason: String(error) }), stop: () => {} }; // it is too long
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", onOutput);
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once("error", (error) => resolve({ type: "failed", reason: error.message }));
    child.once("close", (code, signal) =>
      resolve(signal === null ? { type: "exited", code: code ?? 0 } : { type: "killed", signal }),
    );
  });
  const stop = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, "SIGTERM"); // the whole group: `child.kill()` would end the shell alone
  };
  return { ended, stop };
};
// #endregion

export const show = (chat: Parameters<typeof renderChat>[0]) => renderChat(chat, { runCommand });
