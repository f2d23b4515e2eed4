// The user's home folder, and the chats that the program has stored.
import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { checkCallOptions, checks } from "../core/checks.ts";

/** Whether the path is a folder that this user can see. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // missing, a loop of links, or no permission
  }
}

/** The user's folder; `undefined` on a system without one. */
export function homeFolder(): string | undefined {
  try {
    return homedir() || undefined; // an empty path would mean this process's own folder
  } catch {
    return undefined;
  }
}

/** Replaces the user's folder in paths by `~`: messages go into bug reports, and the folder contains the user's name. */
export function withoutHome(text: string, home: string | undefined): string {
  const folder = /^(.*[^\\/])?[\\/]*$/s.exec(home ?? "")?.[1] ?? "";
  if (folder === "") return text; // `/` would match in every path
  return text.split(folder).reduce((clean, rest) => `${clean}${/^[\w-]/.test(rest) ? folder : "~"}${rest}`);
}

/** A chat that the upstream program has stored. */
export interface CodebuffCliChat {
  /** The argument for `--continue`: the time at which the chat began. */
  readonly id: string;
  /** The folder of the chat. Do not write to it. */
  readonly path: string;
}

/**
 * The chats that the upstream program has stored for a folder, newest first. Only reads. Two folders with the same name share their
 * chats. For an unknown id, the program continues its newest chat.
 * @throws InvalidInputError for an option that does not exist or is wrong
 */
export function listCodebuffChats(
  cwd: string = process.cwd(),
  options: { readonly homeDir?: string; readonly configDirName?: string } = {},
): readonly CodebuffCliChat[] {
  checkCallOptions(options, { homeDir: checks.string, configDirName: checks.string });
  const { homeDir = homeFolder(), configDirName = "manicode" } = options;
  if (homeDir === undefined) return [];
  const folder = join(homeDir, ".config", configDirName, "projects", basename(resolve(cwd)), "chats");
  let names: readonly string[];
  try {
    names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch {
    return []; // no such folder, or no permission
  }
  return [...names]
    .sort()
    .reverse()
    .map((id) => ({ id, path: join(folder, id) }));
}
