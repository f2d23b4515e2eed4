// Consecutive edits of one file by a run, as one change.
import { type Stamp, sameFile } from "../door/stamp.ts";
import { unifiedDiff } from "../files/diff.ts";
import { readText } from "../files/text.ts";

export interface Kept {
  readonly stamp: Stamp;
  /** `undefined`: too large to keep. */
  readonly bytes: Uint8Array | undefined;
}

/** Consecutive edits of one file, without edits by others in between. */
export interface Segment {
  readonly path: string;
  /** `undefined`: there was no file. */
  readonly before: Kept | "link" | undefined;
  /** `undefined`: the file was deleted. */
  after: Kept | undefined;
}

/** A file that a run changed. */
export interface Change {
  /** Relative to the root. */
  readonly path: string;
  readonly action: "add" | "update" | "delete";
  /** New mode as in Git, and a unified diff without file headers. In brackets: why there is no diff. */
  readonly diff: string;
  /** Whether the old version was kept. */
  readonly isRevertible: boolean;
}

/** `undefined`: the file is unchanged. */
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
