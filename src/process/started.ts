// Finds all that a program has started, by a mark in its environment: also what left its process group. Linux only.
import { readdirSync, readFileSync } from "node:fs";

/** The variable that marks a program. Its child processes inherit it. */
export const MARK = "AGENTWIRE_PROCESS";

/** How often processes are killed that start while others are killed. */
const MAX_PASSES = 10;

/**
 * The living processes with this mark, and their child processes, which may have dropped their environment. A process
 * stays marked when its parent ends. Empty without `/proc`.
 */
export function startedBy(mark: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (process.platform !== "linux") return found;
  const others: (readonly [pid: number, parent: number])[] = [];
  for (const pid of pids()) {
    const parent = parentOf(pid);
    if (parent === undefined) continue;
    if (`\0${read(`/proc/${pid}/environ`)}`.includes(`\0${MARK}=${mark}\0`)) found.add(pid);
    else others.push([pid, parent]);
  }
  for (let size = -1; found.size > Math.max(size, 0); ) {
    size = found.size;
    for (const [pid, parent] of others) if (found.has(parent)) found.add(pid);
  }
  return found;
}

/** Kills the processes with this mark, and those that they start meanwhile. */
export function killStarted(mark: string): void {
  const killed = new Set<number>();
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const fresh = [...startedBy(mark)].filter((pid) => !killed.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      killed.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // it has ended, or belongs to another user
      }
    }
  }
}

/** Whether a process lives. */
export function lives(pid: number): boolean {
  return parentOf(pid) !== undefined;
}

/** Undefined if the process has ended. */
function parentOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // Fields after the name, which may contain anything: state, parent.
  const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 2);
  return stat === "" || state === "Z" || state === "X" ? undefined : Number(parent);
}

function pids(): readonly number[] {
  try {
    return readdirSync("/proc").flatMap((entry) => (/^\d+$/.test(entry) ? [Number(entry)] : []));
  } catch {
    return [];
  }
}

/** Empty if the process has ended or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
