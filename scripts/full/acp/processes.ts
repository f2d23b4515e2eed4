import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process of this machine that belongs to a folder. */
export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

/** The processes that work in `folder`, or have it in their environment or their arguments. Linux only. */
export function processesOf(folder: string): readonly LeftProcess[] {
  return readdirSync("/proc").flatMap((name): readonly LeftProcess[] => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    const command = readOr(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ");
    if (command === "") return []; // a zombie, or the kernel's own
    const cwd = readOr(() => readlinkSync(`/proc/${pid}/cwd`));
    const environment = readOr(() => readFileSync(`/proc/${pid}/environ`, "utf8"));
    const isOurs = [command, cwd, environment].some((text) => text.includes(folder));
    return isOurs ? [{ pid, command: command.trim().slice(0, 80) }] : [];
  });
}

/** A process may end while it is read. */
function readOr(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
