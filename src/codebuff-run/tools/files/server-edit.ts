// `write_file` and `str_replace` in the format of a Codebuff server.
import { applyPatch, parsePatch } from "diff";
import { isObject } from "../../../core/checks.ts";
import { type FileEdit, refusedEdit } from "./edit.ts";
import { PatchFailure } from "./patch-sections.ts";
import { NOT_TEXT, readText } from "./text.ts";
import { fileEdit, updated, writeFileEdit } from "./write-file.ts";

/** A Codebuff server sends the whole file, or the hunks of a unified diff. */
export interface ServerEditInput {
  readonly type: "file" | "patch";
  readonly path: string;
  readonly content: string;
}

/** `undefined` for the model's input format. */
export function readServerEdit(input: unknown): ServerEditInput | undefined {
  if (!isObject(input)) return undefined;
  const { type, path, content } = input;
  if ((type !== "file" && type !== "patch") || typeof path !== "string" || typeof content !== "string")
    return undefined;
  return { type, path, content };
}

/** Lines to read for one patch: about 200 ms. A misplaced patch may be read once per line of the file. */
const MAX_READ = 2_000_000;

export function serverEdit({ type, path, content }: ServerEditInput): FileEdit {
  if (type === "file") return writeFileEdit({ path, content });
  return fileEdit(path, (file) => {
    const before = file && readText(file.bytes);
    if (!before) return refusedEdit(file ? NOT_TEXT : "The file does not exist.");
    try {
      return updated(path, before, patchedBy(before.text, content));
    } catch (error) {
      if (error instanceof PatchFailure) return refusedEdit(error.message);
      throw error;
    }
  });
}

/** @throws PatchFailure */
function patchedBy(text: string, hunks: string): string {
  const patches = parsed(hunks.replaceAll("\r\n", "\n"));
  const [patch] = patches;
  if (!patch || patch.hunks.length === 0) throw new PatchFailure("The patch has no hunks.");
  if (patches.length > 1) throw new PatchFailure("The patch is for several files.");
  let left = MAX_READ;
  // At each position that does not fit, the added lines are read again.
  const added = patch.hunks.reduce(
    (most, { lines }) => Math.max(most, lines.filter((line) => line.startsWith("+")).length),
    0,
  );
  const compareLine = (_line: number, line: string, _mark: string, content: string): boolean => {
    const fits = line === content;
    left -= fits ? 1 : 1 + added;
    if (left < 0)
      throw new PatchFailure("The place of the patch takes too long to find. Send the whole file.");
    return fits;
  };
  const result = applyPatch(text, patch, { compareLine });
  if (result === false) throw new PatchFailure("The patch does not fit the file. Read the file again.");
  if (result === text) throw new PatchFailure("The patch changes nothing.");
  return result;
}

function parsed(hunks: string): ReturnType<typeof parsePatch> {
  try {
    return parsePatch(hunks);
  } catch {
    throw new PatchFailure("The patch is no unified diff.");
  }
}
