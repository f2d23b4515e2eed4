// The tool `write_file`: converts its input into an edit.
import type { FileRead } from "../door/door.ts";
import type { Refusal } from "../door/refusal.ts";
import { cutDiff, unifiedDiff } from "./diff.ts";
import { CHANGED, type FileEdit, type Plan, refusedEdit } from "./edit.ts";
import { type FileText, NOT_TEXT, newText, readText, textFor, writeText } from "./text.ts";

export interface WriteFileInput {
  readonly path: string;
  readonly content: string;
}

export function writeFileEdit({ path, content }: WriteFileInput): FileEdit {
  return fileEdit(path, (file) => (file ? update(path, file, content) : create(path, content)));
}

/** An edit of `write_file` or `str_replace`. Its errors name the file. */
export function fileEdit(path: string, plan: FileEdit["plan"]): FileEdit {
  return { path, plan, refusal: writeRefusal, failure: (errorMessage) => ({ file: path, errorMessage }) };
}

export function updated(file: string, before: FileText, text: string, message = "Updated file"): Plan {
  const diff = unifiedDiff(before.text, text);
  return { kind: "write", bytes: writeText(before, text), diff, value: { file, message, unifiedDiff: diff } };
}

function create(file: string, content: string): Plan {
  return {
    kind: "write",
    bytes: newText(content),
    diff: unifiedDiff("", content),
    value: { file, message: "Created new file", unifiedDiff: cutDiff(content) },
  };
}

function update(path: string, file: FileRead, content: string): Plan {
  const before = readText(file.bytes);
  if (!before) return refusedEdit(NOT_TEXT);
  const given = textFor(before, content);
  // Models often omit the last line feed by mistake.
  const isCut = before.text.endsWith("\n") && given !== "" && !given.endsWith("\n");
  const text = isCut ? `${given}\n` : given;
  return text === before.text
    ? refusedEdit("The new content was the same as the old content, skipping.")
    : updated(path, before, text);
}

function writeRefusal({ reason, message }: Refusal): string {
  switch (reason) {
    case "outside":
      return "file path contains invalid path traversal";
    case "not-a-file":
    case "not-a-folder":
    case "failed":
    case "missing":
      return "Failed to write to file: file path caused an error or file could not be written";
    case "changed":
    case "exists":
      return CHANGED;
    case "invalid":
    case "blocked":
    case "protected":
    case "link":
    case "too-large":
      return message;
  }
}
