// A process group, and how it is ended.
import { type ChildProcess, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { killStarted, lives, startedBy } from "./started.ts";

/** The process group of a child. On Windows, which has no groups: the child's process tree. */
export class Group {
  readonly #child: ChildProcess;
  readonly #mark: string | undefined;
  /** Living processes at the last check. */
  #members: readonly string[] = [];
  #started: readonly number[] = [];

  /** @param mark the processes with this mark belong to the group, too. See {@link startedBy} */
  constructor(child: ChildProcess, mark?: string) {
    this.#child = child;
    this.#mark = mark;
  }

  /** On Windows, every signal kills the processes. Processes that left the group get only SIGKILL. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (this.#mark !== undefined && signal === "SIGKILL") killStarted(this.#mark);
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
    if (pid === undefined || process.platform === "win32") return false;
    if (this.#mark !== undefined && this.#hasStarted(this.#mark)) return true;
    if (!exists(pid)) return false;
    if (process.platform !== "linux") return true;
    // In a container, zombies may stay: the group would then exist forever.
    const group = String(pid);
    if (this.#members.some((member) => isAliveIn(group, member))) return true;
    const members = membersOf(group);
    this.#members = members ?? [];
    return this.#members.length > 0 || members === undefined;
  }

  /** Whether a process with the mark lives, in whatever group. */
  #hasStarted(mark: string): boolean {
    if (this.#started.some(lives)) return true;
    this.#started = [...startedBy(mark)];
    return this.#started.length > 0;
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
