// Finds a program as the system would, without starting it.
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { posix, win32 } from "node:path";

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Unstartable {
  readonly code: "ENOENT" | "EACCES" | "EINVAL";
}

/** The operating system, replaceable in tests. */
export interface CommandSystem {
  readonly platform: string;
  /** Base of relative paths: this process's folder. */
  readonly cwd: string;
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

/** The default without `PATH`. */
const USUAL_PATH = "/usr/bin:/bin";

/** Files that need a shell. This library starts none. */
const SHIM = /\.(?:cmd|bat)$/i;

/** The target in the last line of a package manager's shim. */
const TARGET = /"%(?:~dp0|dp0%)([^"%]+\.(?:[cm]?js|exe))"\s+%\*/gi;

/** Finds a command as the system would. On Windows, resolves npm's shims to their target. */
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
    // Absolute: the new process may have another folder. Reads `cwd` late: that folder may be deleted.
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
  // npm also installs a shell script without extension, which Windows cannot start.
  return hasEnding ? [command] : endings.map((ending) => `${command}${ending}`);
}

/** The target of a shim. Unknown shims cannot be started. */
function targetOf(shim: string, { node, read, kindOf: kind }: CommandSystem): Program | Unstartable {
  const target = [...read(shim).matchAll(TARGET)].at(-1)?.[1];
  if (target === undefined) return { code: "EINVAL" };
  const path = win32.join(win32.dirname(shim), target);
  if (kind(path) !== "program") return { code: "ENOENT" };
  return /\.exe$/i.test(path) ? plain(path) : { command: node, args: [path] };
}

/** @throws the error that a start would cause */
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

/** Whether a value can be an argument or variable: both end at a NUL. */
export function isArgument(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0");
}
