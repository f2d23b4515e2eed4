// The tool `str_replace`: converts its input into an edit.
import { setImmediate } from "node:timers/promises";
import { unifiedDiff } from "./diff.ts";
import type { FileEdit, Plan } from "./edit.ts";
import { type Replacement, replaced } from "./replace.ts";
import { type FileText, NOT_TEXT, readText, writeText } from "./text.ts";
import { writeRefusal } from "./write-file.ts";

export interface StrReplaceInput {
  readonly path: string;
  readonly replacements: readonly GivenReplacement[];
}

/** In the spelling of either SDK version. */
export interface GivenReplacement {
  readonly old?: string;
  readonly new?: string;
  readonly oldString?: string;
  readonly newString?: string;
  /** @default false */
  readonly allowMultiple?: boolean;
}

export function strReplaceEdit({ path, replacements }: StrReplaceInput): FileEdit {
  return {
    path,
    plan: async (file, signal) => {
      if (!file)
        return {
          kind: "refused",
          errorMessage:
            "The file does not exist, skipping. Please use the write_file tool to create the file.",
        };
      const before = readText(file.bytes);
      return before
        ? replaceAll(path, before, replacements.map(readReplacement), signal)
        : { kind: "refused", errorMessage: NOT_TEXT };
    },
    refusal: writeRefusal,
    failure: (errorMessage) => ({ file: path, errorMessage }),
  };
}

function readReplacement(given: GivenReplacement): Replacement {
  const { oldString = "", newString = "", allowMultiple = false } = given;
  return given.old !== undefined && given.new !== undefined
    ? { old: given.old, new: given.new, allowMultiple }
    : { old: oldString, new: newString, allowMultiple };
}

async function replaceAll(
  path: string,
  before: FileText,
  replacements: readonly Replacement[],
  signal: AbortSignal,
): Promise<Plan> {
  const failures: string[] = [];
  let { text } = before;
  for (const replacement of replacements) {
    const result = replaced(text, replacement);
    if ("failure" in result) failures.push(result.failure);
    else text = result.text;
    await setImmediate(); // lets other work of this process run in between
    signal.throwIfAborted();
  }
  if (text === before.text)
    return { kind: "refused", errorMessage: [...failures, "No change to the file"].join("\n\n") };
  const diff = unifiedDiff(before.text, text);
  return {
    kind: "write",
    bytes: writeText(before, text),
    diff,
    value: { file: path, message: [...failures, "Updated file"].join("\n\n"), unifiedDiff: diff },
  };
}
