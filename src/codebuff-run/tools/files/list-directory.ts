// The tool `list_directory`.
import { Refusal } from "../door/refusal.ts";
import type { ToolJob } from "../job.ts";

export interface ListDirectoryInput {
  /** Empty for the root. */
  readonly path: string;
}

/** Entries of a folder in one result. The history repeats them in each request. */
export const MAX_ENTRIES = 10_000;

/** Lists a folder, with ignored files, but without links, devices, pipes and sockets. */
export async function listDirectory({ path }: ListDirectoryInput, { door }: ToolJob): Promise<object> {
  try {
    const entries = await door.readFolder(door.resolve(path, "read"), { maxEntries: MAX_ENTRIES });
    const namesOf = (kind: "file" | "folder") =>
      entries.filter((entry) => entry.kind === kind).map(({ name }) => name);
    return { files: namesOf("file"), directories: namesOf("folder"), path };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isInvalid = error.reason === "outside" || error.reason === "invalid";
    return { errorMessage: `${isInvalid ? "Invalid path" : "Failed to list directory"}: ${error.message}` };
  }
}
