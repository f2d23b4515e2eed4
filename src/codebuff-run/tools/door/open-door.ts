// Opens the `Door` to a folder, with the walker for this platform.
import { existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { InvalidInputError } from "../../../core/errors.ts";
import { Door } from "./door.ts";
import { Filter, type FilterOptions } from "./filter.ts";
import { IgnoreFiles } from "./ignore-files.ts";
import { LinuxWalker } from "./linux-walker.ts";
import { Paths } from "./paths.ts";
import { PortableWalker } from "./portable-walker.ts";

export interface DoorOptions extends FilterOptions {
  readonly root: string;
  /** Whether ignore files block files. Tools then cannot write ignore files. @default true */
  readonly ignoreFiles?: boolean | undefined;
  /** Guard against swapped folders. `handles` needs `/proc`. @default "handles" if possible, or "checks" */
  readonly guard?: "handles" | "checks" | undefined;
}

/** Opens a folder. Later changes of links in its path have no effect. @throws InvalidInputError */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const { guard = hasHandles() ? "handles" : "checks", ignoreFiles = true } = options;
  const named = resolve(options.root);
  const root = await realRoot(named);
  const { platform } = process;
  const paths = new Paths({ roots: [root, named], platform });
  return new Door({
    root,
    paths,
    walker: guard === "handles" ? new LinuxWalker(root, paths) : new PortableWalker(root, paths),
    filter: new Filter(options),
    ignoreFiles: ignoreFiles ? new IgnoreFiles(platform) : undefined,
  });
}

function hasHandles(): boolean {
  return process.platform === "linux" && existsSync("/proc/self/fd");
}

async function realRoot(path: string): Promise<string> {
  const hint = "Name a directory that exists and that this process may enter.";
  let root: string;
  try {
    root = await realpath(path);
  } catch (cause) {
    throw new InvalidInputError("The option `root` does not lead to a directory.", hint, { cause });
  }
  if (!(await stat(root)).isDirectory())
    throw new InvalidInputError("The option `root` is not a directory.", hint);
  return root;
}
