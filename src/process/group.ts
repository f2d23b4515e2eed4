// A process group, and how it is ended.
import { type ChildProcess, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The process group of a child. On Windows, which has no groups: the child's process tree. */
export class Group {
  readonly #child: ChildProcess;
  /** Living processes at the last check. */
  #members: readonly string[] = [];

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** On Windows, every signal kills the processes. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (process.platform === "win32") {
      spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true, stdio: "ignore" });
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      this.#child.kill(signal); // the group has ended, or signals are not permitted
    }
  }

  /** Whether a process of the group may be alive. Always false on Windows. */
  get isAlive(): boolean {
    const { pid } = this.#child;
    if (pid === undefined || process.platform === "win32" || !exists(pid)) return false;
    if (process.platform !== "linux") return true;
    // In a container, zombies may stay: the group would then exist forever.
    const group = String(pid);
    if (this.#members.some((member) => isAliveIn(group, member))) return true;
    const members = membersOf(group);
    this.#members = members ?? [];
    return this.#members.length > 0 || members === undefined;
  }
}

function exists(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** `undefined` if `/proc` is unreadable. */
function membersOf(group: string): readonly string[] | undefined {
  try {
    return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && isAliveIn(group, entry));
  } catch {
    return undefined;
  }
}

/** Whether a process is in the group and not a zombie. */
function isAliveIn(group: string, pid: string): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return false; // the process has ended
  }
  // Fields after the name, which may contain anything: state, parent, group.
  const [state, , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 3);
  return of === group && state !== "Z" && state !== "X";
}
