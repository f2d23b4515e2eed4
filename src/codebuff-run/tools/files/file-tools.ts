// The file tools of one root, with their shared state.
import { isObject } from "../../../core/checks.ts";
import { issuesText } from "../../calls/tool-schema.ts";
import { RunChanges } from "../changes/run-changes.ts";
import { SeenFiles } from "../changes/seen-files.ts";
import type { Door } from "../door/door.ts";
import { type CheckedTool, checkedTool, checkOf, type ToolJob } from "../job.ts";
import { applyPatchEdit } from "./apply-patch.ts";
import { type FileEdit, type Preview, performEdit, previewEdit } from "./edit.ts";
import { listDirectory } from "./list-directory.ts";
import { PathLocks } from "./locks.ts";
import { PREVIEW_REFUSED } from "./previews.ts";
import { readFiles } from "./read-files.ts";
import { readServerEdit, serverEdit } from "./server-edit.ts";
import { strReplaceEdit } from "./str-replace.ts";
import { writeFileEdit } from "./write-file.ts";

type EditName = "write_file" | "str_replace" | "apply_patch";

/** Whether a tool edits a file. Only edits have previews. */
export function isEdit(name: string): name is EditName {
  return name === "write_file" || name === "str_replace" || name === "apply_patch";
}

/** Converts an input into an edit, or into an error for the agent. Used by calls and previews. */
type EditReader = (input: unknown) => Promise<FileEdit | { readonly errorMessage: string }>;

/** The file tools of one root. Created once per root, so that edits of all runs share the locks. */
export function fileTools() {
  const locks = new PathLocks();
  const seen = new SeenFiles();
  const readers = {
    write_file: serverOr("write_file", readerOf("write_file", writeFileEdit)),
    str_replace: serverOr("str_replace", readerOf("str_replace", strReplaceEdit)),
    apply_patch: readerOf("apply_patch", applyPatchEdit),
  };
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
    /** Previews a call; `undefined` for a tool that edits no file. The call's job gets `shown`. */
    preview: async (
      { name, input }: { readonly name: string; readonly input: unknown },
      job: Pick<ToolJob, "door" | "changes" | "signal">,
    ): Promise<Preview | undefined> => {
      if (!isEdit(name)) return undefined;
      const edit = await readers[name](input);
      return "errorMessage" in edit
        ? { text: edit.errorMessage, shown: PREVIEW_REFUSED }
        : previewEdit(edit, job);
    },
    changes: (door: Door) => new RunChanges(door, locks, { seen }),
  };
}

function readerOf<Input>(name: EditName, editOf: (input: Input) => FileEdit): EditReader {
  const check = checkOf<Input>(name);
  return async (given) => {
    const checked = await check(given);
    return "errorMessage" in checked ? checked : wellFormed(name, checked.input, editOf);
  };
}

/** Servers send a format of their own. */
function serverOr(name: EditName, read: EditReader): EditReader {
  return async (given) => {
    const ofServer = readServerEdit(given);
    return ofServer ? wellFormed(name, ofServer, serverEdit) : read(given);
  };
}

/** Refuses lone surrogates: they would become U+FFFD, or replace half of a character. */
function wellFormed<Input>(name: EditName, input: Input, editOf: (input: Input) => FileEdit) {
  const path = malformedIn(input);
  if (path === undefined) return editOf(input);
  return { errorMessage: issuesText(name, { issues: [{ path, message: "half of a surrogate pair" }] }) };
}

function malformedIn(value: unknown): string | undefined {
  if (typeof value === "string") return /\p{Cs}/u.test(value) ? "" : undefined;
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  for (const [key, field] of Object.entries(value)) {
    const path = malformedIn(field);
    if (path !== undefined) return path === "" ? key : `${key}.${path}`;
  }
  return undefined;
}
