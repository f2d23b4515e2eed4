// Converts a tool's input into an edit, for the call and its preview.
import { isObject } from "../../../core/checks.ts";
import { issuesText } from "../../calls/tool-schema.ts";
import { checkOf } from "../checked.ts";
import { applyPatchEdit } from "./apply-patch.ts";
import type { FileEdit } from "./edit.ts";
import { readServerEdit, serverEdit } from "./server-edit.ts";
import { strReplaceEdit } from "./str-replace.ts";
import { writeFileEdit } from "./write-file.ts";

export type EditName = "write_file" | "str_replace" | "apply_patch";

/** Whether a tool edits a file. Only edits have previews. */
export function isEdit(name: string): name is EditName {
  return name === "write_file" || name === "str_replace" || name === "apply_patch";
}

/** Converts an input into an edit, or into an error for the agent. Used by calls and previews. */
export type EditReader = (input: unknown) => Promise<FileEdit | { readonly errorMessage: string }>;

export function editReaders(): Readonly<Record<EditName, EditReader>> {
  return {
    write_file: serverOr("write_file", readerOf("write_file", writeFileEdit)),
    str_replace: serverOr("str_replace", readerOf("str_replace", strReplaceEdit)),
    apply_patch: readerOf("apply_patch", applyPatchEdit),
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
