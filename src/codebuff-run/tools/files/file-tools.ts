// The tools that read and write files, and what they share below one root.
import { RunChanges } from "../changes/run-changes.ts";
import { SeenFiles } from "../changes/seen-files.ts";
import { checkedTool } from "../checked.ts";
import type { Door } from "../door/door.ts";
import type { Tool, ToolJob } from "../job.ts";
import { type EditName, type EditReader, editReaders, isEdit } from "./asked-edit.ts";
import { type Preview, performEdit, previewEdit } from "./edit.ts";
import { listDirectory } from "./list-directory.ts";
import { PathLocks } from "./locks.ts";
import { readFiles } from "./read-files.ts";

/** The tools for files below one root, and what stands beside them. Made once for a root, so that edits of all runs wait for each other. */
export interface FileRoom {
  readonly tools: Readonly<Record<EditName | "read_files" | "list_directory", Tool>>;
  /**
   * What a call would do, for the question whether it may run. Nothing is written. A job with what was `shown` is refused if the file has
   * changed since.
   * @returns `undefined` for a tool that edits no file
   */
  preview(
    call: { readonly name: string; readonly input: unknown },
    job: Pick<ToolJob, "door" | "changes" | "signal">,
  ): Promise<Preview | undefined>;
  /** For the jobs of one run. */
  changes(door: Door): RunChanges;
}

export function fileRoom(): FileRoom {
  const locks = new PathLocks();
  const seen = new SeenFiles();
  const readers = editReaders();
  const toolOf =
    (read: EditReader): Tool =>
    async (input, job) => {
      const edit = await read(input);
      return "errorMessage" in edit ? edit : performEdit(edit, job, locks);
    };
  return {
    tools: {
      read_files: checkedTool("read_files", readFiles),
      list_directory: checkedTool("list_directory", listDirectory),
      write_file: toolOf(readers.write_file),
      str_replace: toolOf(readers.str_replace),
      apply_patch: toolOf(readers.apply_patch),
    },
    preview: async ({ name, input }, job) => {
      if (!isEdit(name)) return undefined;
      const edit = await readers[name](input);
      return "errorMessage" in edit
        ? { text: edit.errorMessage, shown: { kind: "refused" } }
        : previewEdit(edit, job);
    },
    changes: (door) => new RunChanges(door, locks, { seen }),
  };
}
