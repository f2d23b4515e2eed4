// The processes of a group, and how all of them are ended.
import { type ChildProcess, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The process group of a child. On Windows, which has no groups: the child and what it has started. */
export class Group {
  readonly #child: ChildProcess;
  /** Processes of the group that were alive at the last look. */
  #members: readonly string[] = [];

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Windows knows one signal, which ends a process. */
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
      this.#child.kill(signal); // the group has ended, or this process may not signal it
    }
  }

  /** Whether a process of the group may be alive. False on Windows, where nothing tells. */
  get isAlive(): boolean {
    const { pid } = this.#child;
    if (pid === undefined || process.platform === "win32" || !exists(pid)) return false;
    if (process.platform !== "linux") return true;
    // In a container the first process may collect no zombies: then the group exists for ever.
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

/** `undefined` if the system does not tell. */
function membersOf(group: string): readonly string[] | undefined {
  try {
    return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && isAliveIn(group, entry));
  } catch {
    return undefined;
  }
}

/** Whether a process is in the group, and no zombie. */
function isAliveIn(group: string, pid: string): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return false; // it has gone
  }
  // Behind the name, which may contain anything: the state, the parent, the group.
  const [state, , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 3);
  return of === group && state !== "Z" && state !== "X";
}
