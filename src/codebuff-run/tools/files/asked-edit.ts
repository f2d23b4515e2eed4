// Reads the edit that a tool's input asks for, the same for the call and its preview.
import { isObject } from "../../../core/checks.ts";
import { invalid } from "../../calls/tool-schema.ts";
import { checkOf } from "../checked.ts";
import { applyPatchEdit } from "./apply-patch.ts";
import type { FileEdit } from "./edit.ts";
import { readServerEdit, serverEdit } from "./server-edit.ts";
import { strReplaceEdit } from "./str-replace.ts";
import { writeFileEdit } from "./write-file.ts";

export type EditName = "write_file" | "str_replace" | "apply_patch";

/** Whether a tool edits a file, so that its calls have previews. */
export function isEdit(name: string): name is EditName {
  return name === "write_file" || name === "str_replace" || name === "apply_patch";
}

/** The edit that an input asks for; or the failure for the agent. The preview of a call and the call itself read the input by this alone. */
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

/** A server asks in a form of its own. */
function serverOr(name: EditName, read: EditReader): EditReader {
  return async (given) => {
    const ofServer = readServerEdit(given);
    return ofServer ? wellFormed(name, ofServer, serverEdit) : read(given);
  };
}

/** Half of a surrogate pair has no bytes: a file would get U+FFFD, and half of a character of the file would be replaced. */
function wellFormed<Input>(name: EditName, input: Input, editOf: (input: Input) => FileEdit) {
  const path = malformedIn(input);
  if (path === undefined) return editOf(input);
  return { errorMessage: invalid(name, { issues: [{ path, message: "half of a surrogate pair" }] }) };
}

/** The path of the first text that is not well-formed. */
function malformedIn(value: unknown): string | undefined {
  if (typeof value === "string") return /\p{Cs}/u.test(value) ? "" : undefined;
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  for (const [key, field] of Object.entries(value)) {
    const path = malformedIn(field);
    if (path !== undefined) return path === "" ? key : `${key}.${path}`;
  }
  return undefined;
}
