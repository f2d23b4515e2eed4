import { type ChildProcess, spawnSync } from "node:child_process";

/** Sends a signal to the process and to all others of its group. On Windows a signal ends them. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true, stdio: "ignore" });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    child.kill(signal); // the group has ended, or this process may not signal it
  }
}

/** Whether a process of the group is left that this process may signal, be it as a zombie. Windows has no groups. */
export function hasGroup({ pid }: ChildProcess): boolean {
  if (pid === undefined || process.platform === "win32") return false;
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}
