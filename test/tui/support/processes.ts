import { existsSync, readdirSync, readFileSync } from "node:fs";

const PROC = "/proc";

/** The processes that have inherited the variable from a program, however far they have gone from it. None where there is no `/proc`. */
export function processesWith(name: string, value: string): readonly number[] {
  if (!existsSync(PROC)) return [];
  const wanted = `${name}=${value}\0`;
  return readdirSync(PROC)
    .filter((entry) => /^\d+$/.test(entry) && environmentOf(entry).includes(wanted))
    .map(Number);
}

/** Empty for a process that has gone meanwhile, and for a process of another user. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`${PROC}/${pid}/environ`, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES") return "";
    throw error;
  }
}
