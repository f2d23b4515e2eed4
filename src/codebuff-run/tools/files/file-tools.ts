import { RunChanges } from "../changes/run-changes.ts";
import { SeenFiles } from "../changes/seen-files.ts";
import type { Door } from "../door/door.ts";
import type { LocalTool, ToolJob } from "../job.ts";
import { type ApplyPatchInput, applyPatchEdit } from "./apply-patch.ts";
import { type Preview, performEdit } from "./edit.ts";
import { type ListDirectoryInput, listDirectory } from "./list-directory.ts";
import { PathLocks } from "./locks.ts";
import { preview } from "./preview.ts";
import { type ReadFilesInput, readFiles } from "./read-files.ts";
import { type ServerEditInput, serverEdit } from "./server-edit.ts";
import { type StrReplaceInput, strReplaceEdit } from "./str-replace.ts";
import { type WriteFileInput, writeFileEdit } from "./write-file.ts";

/** The tools that read and write files. */
export interface FileTools {
  readonly read_files: LocalTool<ReadFilesInput>;
  readonly list_directory: LocalTool<ListDirectoryInput>;
  readonly write_file: LocalTool<WriteFileInput>;
  readonly str_replace: LocalTool<StrReplaceInput>;
  readonly apply_patch: LocalTool<ApplyPatchInput>;
}

/** The tools for files below one root, and what stands beside them. Made once for a root, so that edits of all runs wait for each other. */
export interface FileRoom {
  readonly tools: FileTools;
  /** The edits of a Codebuff server. */
  readonly serverEdit: LocalTool<ServerEditInput>;
  /**
   * What a call would do, for the question whether it may run. Nothing is written. A job with what was `shown` is refused if the file has
   * changed since.
   * @returns `undefined` for a tool that edits no file, and for an input that does not fit
   */
  preview(
    call: { readonly name: string; readonly input: Readonly<Record<string, unknown>> },
    job: Pick<ToolJob, "door" | "changes" | "signal">,
  ): Promise<Preview | undefined>;
  /** For the jobs of one run. */
  changes(door: Door): RunChanges;
}

export function fileRoom(): FileRoom {
  const locks = new PathLocks();
  const seen = new SeenFiles();
  return {
    tools: {
      read_files: readFiles,
      list_directory: listDirectory,
      write_file: (input, job) => performEdit(writeFileEdit(input), job, locks),
      str_replace: (input, job) => performEdit(strReplaceEdit(input), job, locks),
      apply_patch: (input, job) => performEdit(applyPatchEdit(input), job, locks),
    },
    serverEdit: (input, job) => performEdit(serverEdit(input), job, locks),
    preview,
    changes: (door) => new RunChanges(door, locks, { seen }),
  };
}
