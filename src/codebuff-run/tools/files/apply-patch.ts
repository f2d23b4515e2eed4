// The tool `apply_patch`: converts its input into an edit.
import type { FileRead } from "../door/door.ts";
import type { Refusal } from "../door/refusal.ts";
import { unifiedDiff } from "./diff.ts";
import { CHANGED, type FileEdit, type Plan, refusedEdit } from "./edit.ts";
import { patched } from "./patch.ts";
import { createdText, PatchFailure } from "./patch-sections.ts";
import { NOT_TEXT, newText, readText, writeText } from "./text.ts";

export interface ApplyPatchInput {
  readonly operation:
    | { readonly type: "create_file" | "update_file"; readonly path: string; readonly diff: string }
    | { readonly type: "delete_file"; readonly path: string };
}

export function applyPatchEdit({ operation }: ApplyPatchInput): FileEdit {
  const { path } = operation;
  const base = {
    path,
    refusal: (refusal: Refusal) => patchRefusal(path, refusal),
    failure: (errorMessage: string) => ({ errorMessage }),
  };
  switch (operation.type) {
    case "create_file":
      return { ...base, plan: (file) => create(path, file, operation.diff) };
    case "update_file":
      return { ...base, plan: (file) => update(path, file, operation.diff) };
    case "delete_file":
      return { ...base, linkDeleted: applied(path, "delete"), plan: (file) => remove(path, file) };
  }
}

function create(path: string, file: FileRead | undefined, diff: string): Plan {
  if (file) return refusedEdit(failed(path, "The file exists already. Use update_file to change it."));
  try {
    const text = createdText(diff);
    const value = applied(path, "add");
    return { kind: "write", bytes: newText(text), diff: unifiedDiff("", text), value };
  } catch (error) {
    if (error instanceof PatchFailure) return refusedEdit(error.message);
    throw error;
  }
}

function update(path: string, file: FileRead | undefined, diff: string): Plan {
  if (!file) return refusedEdit(failed(path, "The file does not exist. Use create_file to make it."));
  const before = readText(file.bytes);
  if (!before) return refusedEdit(failed(path, NOT_TEXT));
  try {
    const text = patched(before.text, diff);
    const value = applied(path, "update");
    return { kind: "write", bytes: writeText(before, text), diff: unifiedDiff(before.text, text), value };
  } catch (error) {
    if (error instanceof PatchFailure) return refusedEdit(failed(path, error.message));
    throw error;
  }
}

function remove(path: string, file: FileRead | undefined): Plan {
  if (!file) return refusedEdit(failed(path, "The file does not exist."));
  const text = readText(file.bytes)?.text;
  return {
    kind: "delete",
    diff: text === undefined ? "Deletes a file that is no UTF-8 text.\n" : unifiedDiff(text, ""),
    value: applied(path, "delete"),
  };
}

function applied(file: string, action: "add" | "update" | "delete"): object {
  return { message: "Applied 1 patch operation.", applied: [{ file, action }] };
}

function failed(path: string, reason: string): string {
  return `Failed to apply patch to ${path}. ${reason}`;
}

function patchRefusal(path: string, { reason, message }: Refusal): string {
  switch (reason) {
    case "outside":
    case "invalid":
      return `Invalid path: ${path}`;
    case "changed":
    case "exists":
      return failed(path, CHANGED);
    case "blocked":
    case "protected":
    case "missing":
    case "link":
    case "not-a-file":
    case "not-a-folder":
    case "too-large":
    case "failed":
      return failed(path, message);
  }
}
