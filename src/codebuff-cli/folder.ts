import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { checkCallOptions, checks } from "../core/checks.ts";

/** Whether there is a folder of this path, for this user. */
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
    return homedir() || undefined; // an empty one would be this process's own folder
  } catch {
    return undefined;
  }
}

/** Writes paths in this folder with `~`: messages go into bug reports, and the folder has the user's name. */
export function withoutHome(text: string, home: string | undefined): string {
  const folder = home?.replace(/[\\/]+$/, "") ?? "";
  if (folder === "") return text; // it would be in every path
  return text.split(folder).reduce((clean, rest) => `${clean}${/^[\w-]/.test(rest) ? folder : "~"}${rest}`);
}

/** A chat that the upstream program has stored. */
export interface CodebuffCliChat {
  /** What `--continue` takes: the time at which the chat began. */
  readonly id: string;
  /** The folder of the chat. Do not write to it. */
  readonly path: string;
}

/**
 * The chats that the upstream program has stored for a folder, the newest first. Reads only. Two folders of the same name
 * share their chats. For an id that the program does not know it takes its newest chat.
 * @throws InvalidInputError for an option that does not exist, or is wrong
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
