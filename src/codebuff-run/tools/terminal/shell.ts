// Finds the shell that runs commands.
import { findProgram, type Program } from "../../../process/program.ts";

/** `--`: a command may start with a hyphen. */
const ARGUMENTS = ["-c", "--"] as const;

/** The shell and its first arguments, or the problem. */
export function findShell(
  shell: string | undefined,
  env: NodeJS.ProcessEnv,
  platform: string = process.platform,
): Program | { readonly problem: string } {
  if (shell === undefined && platform === "win32")
    return { problem: "There is no bash: on Windows the option `shell` must name one." };
  for (const name of shell === undefined ? ["bash", "sh"] : [shell]) {
    const found = findProgram(name, env);
    if (!("code" in found)) return { command: found.command, args: [...found.args, ...ARGUMENTS] };
  }
  return {
    problem:
      shell === undefined
        ? "There is no shell: neither bash nor sh is in PATH."
        : "The shell that the option `shell` names cannot be run.",
  };
}
