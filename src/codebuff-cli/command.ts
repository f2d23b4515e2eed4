import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";

/** Whether a command can be found, and if not, the code that starting it would fail with. */
export type CommandCheck = { readonly path: string } | { readonly code: "ENOENT" | "EACCES" };

/** Looks for a command as the system would, without starting it. A relative path is relative to this process's folder. */
export function findCommand(command: string, env: NodeJS.ProcessEnv): CommandCheck {
  if (isAbsolute(command) || command.includes("/") || command.includes(sep)) return check(resolve(command));
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  let found: CommandCheck = { code: "ENOENT" };
  for (const folder of folders) {
    for (const name of namesOf(command, env)) {
      const checked = check(join(folder, name));
      if ("path" in checked) return checked;
      if (checked.code === "EACCES") found = checked;
    }
  }
  return found;
}

function namesOf(command: string, env: NodeJS.ProcessEnv): readonly string[] {
  if (process.platform !== "win32") return [command];
  const endings = (env["PATHEXT"] ?? ".EXE;.COM").split(";");
  return [command, ...endings.map((ending) => `${command}${ending}`)];
}

function check(path: string): CommandCheck {
  try {
    if (!statSync(path).isFile()) return { code: "EACCES" };
  } catch {
    return { code: "ENOENT" };
  }
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return { code: "EACCES" };
  }
  return { path };
}
