// The user's home folder, and the chats that the program has stored.
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { checkCallOptions, checks } from "../core/checks.ts";

export function homeFolder(): string | undefined {
  try {
    return homedir() || undefined; // an empty path would mean the working directory
  } catch {
    return undefined;
  }
}

/** Replaces the home folder in paths by `~`: bug reports must not contain the user's name. */
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
 * Lists the chats that the upstream program stored for a folder, newest first. Only reads. Folders of the same name
 * share their chats. If an id is unknown, the program continues its newest chat.
 * @throws InvalidInputError for an unknown or wrong option
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
