import { isObject } from "../../../core/checks.ts";
import type { ToolJob } from "../job.ts";
import { applyPatchEdit } from "./apply-patch.ts";
import { type FileEdit, type Preview, previewEdit } from "./edit.ts";
import { readServerEdit, serverEdit } from "./server-edit.ts";
import { type GivenReplacement, strReplaceEdit } from "./str-replace.ts";
import { writeFileEdit } from "./write-file.ts";

type Input = Readonly<Record<string, unknown>>;

/** See `FileRoom.preview`. */
export async function preview(
  { name, input }: { readonly name: string; readonly input: Input },
  job: Pick<ToolJob, "door" | "changes" | "signal">,
): Promise<Preview | undefined> {
  const edit = editOf(name, input);
  return edit && previewEdit(edit, job);
}

function editOf(name: string, input: Input): FileEdit | undefined {
  switch (name) {
    case "write_file":
      return ofServer(input) ?? ofWriteFile(input);
    case "str_replace":
      return ofServer(input) ?? ofStrReplace(input);
    case "apply_patch":
      return isObject(input["operation"]) ? ofOperation(input["operation"]) : undefined;
    default:
      return undefined;
  }
}

function ofServer(input: Input): FileEdit | undefined {
  const read = readServerEdit(input);
  return read && serverEdit(read);
}

function ofWriteFile({ path, content }: Input): FileEdit | undefined {
  return typeof path === "string" && typeof content === "string"
    ? writeFileEdit({ path, content })
    : undefined;
}

function ofStrReplace({ path, replacements }: Input): FileEdit | undefined {
  if (typeof path !== "string" || !Array.isArray(replacements)) return undefined;
  return replacements.every(isReplacement) ? strReplaceEdit({ path, replacements }) : undefined;
}

function isReplacement(given: unknown): given is GivenReplacement {
  if (!isObject(given)) return false;
  const isText = (name: string): boolean => typeof given[name] === "string";
  return (isText("old") && isText("new")) || (isText("oldString") && isText("newString"));
}

function ofOperation({ type, path, diff }: Input): FileEdit | undefined {
  if (typeof path !== "string") return undefined;
  if (type === "delete_file") return applyPatchEdit({ operation: { type, path } });
  if ((type !== "create_file" && type !== "update_file") || typeof diff !== "string") return undefined;
  return applyPatchEdit({ operation: { type, path, diff } });
}
