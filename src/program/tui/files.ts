// Writes a file for `/export`.
import { writeFile } from "node:fs/promises";
import type { CommandOptions } from "../../ink/index.ts";

/** The flag `wx` creates a file, and never replaces one. */
export const writeNewFile: NonNullable<CommandOptions["writeFile"]> = async (path, text, { replaces }) => {
  try {
    await writeFile(path, text, { flag: replaces ? "w" : "wx" });
    return "written";
  } catch (error) {
    if (!replaces && error instanceof Error && "code" in error && error.code === "EEXIST") return "exists";
    throw error;
  }
};
