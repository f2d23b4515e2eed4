import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { posix, win32 } from "node:path";

/** What to start: a program, and what goes before its arguments. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** Why a command cannot be started: the code that trying it would fail with. */
export interface Unstartable {
  readonly code: "ENOENT" | "EACCES" | "EINVAL";
}

/** What is asked of the system; tests give another one. */
export interface CommandSystem {
  readonly platform: string;
  /** Of this process, which a relative path is relative to. */
  readonly cwd: string;
  /** What runs scripts. */
  readonly node: string;
  kindOf(path: string): "program" | "other" | "none";
  read(path: string): string;
}

const thisSystem: CommandSystem = {
  platform: process.platform,
  get cwd() {
    return process.cwd();
  },
  node: process.execPath,
  kindOf,
  read: (path) => readFileSync(path, "utf8"),
};

/** What the system takes where there is no `PATH`. */
const USUAL_PATH = "/usr/bin:/bin";

/** Endings of what a shell would have to run, which is never asked to. */
const SHIM = /\.(?:cmd|bat)$/i;

/** How the shims of package managers name what they start, in the last of their lines. */
const TARGET = /"%(?:~dp0|dp0%)[\\/]*([^"%]+\.(?:[cm]?js|exe))"\s+%\*/gi;

/**
 * Looks for a command as the system would, without starting it. A path with a separator, and one in `PATH`, is relative to the
 * folder of this process, and not to that of the new one. On Windows, where npm installs a shim for the shell, it is what that would start.
 */
export function findProgram(
  command: string,
  env: NodeJS.ProcessEnv,
  system: CommandSystem = thisSystem,
): Program | Unstartable {
  const { platform } = system;
  const isWindows = platform === "win32";
  const { resolve, join, isAbsolute, delimiter } = isWindows ? win32 : posix;
  const isPath = isAbsolute(command) || command.includes("/") || (isWindows && command.includes("\\"));
  const names = isWindows ? namesOf(command, env) : [command];
  const folders = (env["PATH"] ?? env["Path"] ?? (isWindows ? "" : USUAL_PATH))
    .split(delimiter)
    .filter((folder) => folder !== "");
  const candidates = isPath ? names : folders.flatMap((folder) => names.map((name) => join(folder, name)));
  let missing: Unstartable = { code: "ENOENT" };
  for (const candidate of candidates) {
    // The new process may have another folder; and this one's may be gone, which hurts no other path.
    const path = isAbsolute(candidate) ? candidate : resolve(system.cwd, candidate);
    const kind = system.kindOf(path);
    if (kind === "program") return SHIM.test(path) && isWindows ? targetOf(path, system) : plain(path);
    if (kind === "other") missing = { code: "EACCES" };
  }
  return missing;
}

const plain = (command: string): Program => ({ command, args: [] });

function namesOf(command: string, env: NodeJS.ProcessEnv): readonly string[] {
  const endings = (env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((ending) => ending !== "");
  const hasEnding = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  // npm also installs a script for other shells, without an ending, which Windows cannot start.
  return hasEnding ? [command] : endings.map((ending) => `${command}${ending}`);
}

/** What a shim would start. One that is not understood is for a shell, and so for nobody. */
function targetOf(shim: string, { node, read, kindOf: kind }: CommandSystem): Program | Unstartable {
  const target = [...read(shim).matchAll(TARGET)].at(-1)?.[1];
  if (target === undefined) return { code: "EINVAL" };
  const path = win32.join(win32.dirname(shim), target);
  if (kind(path) !== "program") return { code: "ENOENT" };
  return /\.exe$/i.test(path) ? plain(path) : { command: node, args: [path] };
}

/**
 * What to start.
 * @throws what starting it would fail with
 */
export function locate(command: string, env: NodeJS.ProcessEnv): Program {
  const found = findProgram(command, env);
  if ("code" in found) throw Object.assign(new Error(`${command}: ${found.code}`), found);
  return found;
}

function kindOf(path: string): "program" | "other" | "none" {
  try {
    if (!statSync(path).isFile()) return "other";
  } catch {
    return "none";
  }
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return "other";
  }
  return "program";
}

/** Whether a value can be an argument or a variable: for the system, both end at a NUL. */
export function isArgument(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0");
}
