// The file tools of one root, with their shared state.
import { RunChanges } from "../changes/run-changes.ts";
import { SeenFiles } from "../changes/seen-files.ts";
import { checkedTool } from "../checked.ts";
import type { Door } from "../door/door.ts";
import type { CheckedTool, ToolJob } from "../job.ts";
import { type EditName, type EditReader, editReaders, isEdit } from "./asked-edit.ts";
import { type Preview, performEdit, previewEdit } from "./edit.ts";
import { listDirectory } from "./list-directory.ts";
import { PathLocks } from "./locks.ts";
import { readFiles } from "./read-files.ts";

/** The file tools of one root. Created once per root, so that edits of all runs share the locks. */
export interface FileTools {
  readonly tools: Readonly<Record<EditName | "read_files" | "list_directory", CheckedTool>>;
  /** Previews a call; `undefined` for a tool that edits no file. The call's job gets `shown`. */
  preview(
    call: { readonly name: string; readonly input: unknown },
    job: Pick<ToolJob, "door" | "changes" | "signal">,
  ): Promise<Preview | undefined>;
  changes(door: Door): RunChanges;
}

export function fileTools(): FileTools {
  const locks = new PathLocks();
  const seen = new SeenFiles();
  const readers = editReaders();
  const toolOf =
    (read: EditReader): CheckedTool =>
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
