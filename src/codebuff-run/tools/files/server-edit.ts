import { applyPatch } from "diff";
import { unifiedDiff } from "./diff.ts";
import type { FileEdit, Plan } from "./edit.ts";
import { NOT_TEXT, readText, writeText } from "./text.ts";
import { writeFileEdit, writeRefusal } from "./write-file.ts";

/** How a Codebuff server asks this machine for `write_file` and `str_replace`: the whole file, or hunks of a unified diff. */
export interface ServerEditInput {
  readonly type: "file" | "patch";
  readonly path: string;
  readonly content: string;
}

/** `undefined` for an input in the form of a model. */
export function readServerEdit(input: Readonly<Record<string, unknown>>): ServerEditInput | undefined {
  const { type, path, content } = input;
  if ((type !== "file" && type !== "patch") || typeof path !== "string" || typeof content !== "string")
    return undefined;
  return { type, path, content };
}

export function serverEdit({ type, path, content }: ServerEditInput): FileEdit {
  if (type === "file") return writeFileEdit({ path, content });
  return {
    path,
    plan: (file): Plan => {
      const before = file && readText(file.bytes);
      if (!file || !before)
        return { kind: "refused", errorMessage: file ? NOT_TEXT : "The file does not exist." };
      const text = patchedBy(before.text, content);
      if (text === undefined)
        return { kind: "refused", errorMessage: "The patch does not fit the file. Read the file again." };
      const diff = unifiedDiff(before.text, text);
      const value = { file: path, message: "Updated file", unifiedDiff: diff };
      return { kind: "write", bytes: writeText(before, text), diff, value };
    },
    refusal: writeRefusal,
    failure: (errorMessage) => ({ file: path, errorMessage }),
  };
}

/** `undefined`: the hunks do not fit, or are none. */
function patchedBy(text: string, hunks: string): string | undefined {
  try {
    const patched = applyPatch(text, hunks.replaceAll("\r\n", "\n"));
    return patched === false ? undefined : patched;
  } catch {
    return undefined; // the text is no unified diff
  }
}
