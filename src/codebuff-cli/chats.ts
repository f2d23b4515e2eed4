import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { checkCallOptions, checks } from "../core/checks.ts";
import { homeFolder } from "./folder.ts";

/** A chat that the program has kept. */
export interface CodebuffCliChat {
  /** What `--continue` takes: when it began. */
  readonly id: string;
  /** The folder with its files. Not to be written to. */
  readonly path: string;
}

/**
 * The chats that the upstream program has kept for a folder, the newest first. Reads only. Two folders of the same name share
 * theirs; the program takes its newest chat for an id that it does not know.
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
    return []; // there is no such folder, or it is nobody's business
  }
  return [...names]
    .sort()
    .reverse()
    .map((id) => ({ id, path: join(folder, id) }));
}
