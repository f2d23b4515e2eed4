// Consecutive edits of one file by a run, as one change.
import type { Stamp } from "../door/door.ts";
import { sameFile } from "../door/stamp.ts";
import { unifiedDiff } from "../files/diff.ts";
import { readText } from "../files/text.ts";

/** A file as a run has found it or left it. */
export interface Kept {
  readonly stamp: Stamp;
  /** `undefined`: over the limit of the run. */
  readonly bytes: Uint8Array | undefined;
}

/** What a run did to one file, while nobody else changed it: edits in a row are one segment. */
export interface Segment {
  readonly path: string;
  /** `undefined`: there was no file. */
  readonly before: Kept | "link" | undefined;
  /** `undefined`: the file is deleted. */
  after: Kept | undefined;
}

/** A file that a run has changed. */
export interface Change {
  /** Relative to the root. */
  readonly path: string;
  readonly action: "add" | "update" | "delete";
  /** A new mode as Git writes it, and a unified diff without file headers, cut as that of a result; in brackets: why there is none. */
  readonly diff: string;
  /** Whether the old file was kept. */
  readonly isRevertible: boolean;
}

/** `undefined`: the file is as it was. */
export function changeOf({ path, before, after }: Segment): Change | undefined {
  if (before === "link")
    return { path, action: after ? "update" : "delete", diff: "[a link was deleted]\n", isRevertible: false };
  if (isUnchanged(before, after)) return undefined;
  const action = before ? (after ? "update" : "delete") : "add";
  return {
    path,
    action,
    diff: modesOf(before, after) + diffOf(before, after),
    isRevertible: before === undefined || before.bytes !== undefined,
  };
}

function isUnchanged(before: Kept | undefined, after: Kept | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return isSameText(before, after) && before.stamp.mode === after.stamp.mode;
}

function isSameText({ bytes: a }: Kept, { bytes: b }: Kept): boolean {
  return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
}

/** Whether two versions are the same file, or have the same content. */
export function isSame(a: Kept | undefined, b: Kept | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return sameFile(a.stamp, b.stamp) || isSameText(a, b);
}

function modesOf(before: Kept | undefined, after: Kept | undefined): string {
  if (!before || !after || before.stamp.mode === after.stamp.mode) return "";
  const [old, now] = [before, after].map(({ stamp }) => `100${stamp.mode.toString(8).padStart(3, "0")}`);
  return `old mode ${old}\nnew mode ${now}\n`;
}

function diffOf(before: Kept | undefined, after: Kept | undefined): string {
  const texts: string[] = [];
  for (const version of [before, after]) {
    if (version && !version.bytes) return "[the files were too large to keep]\n";
    const text = version?.bytes ? readText(version.bytes)?.text : "";
    if (text === undefined) return "[no UTF-8 text]\n";
    texts.push(text);
  }
  const [old = "", now = ""] = texts;
  return unifiedDiff(old, now);
}
