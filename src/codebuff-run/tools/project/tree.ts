// Lists a folder's usable files and folders as a tree for prompts, within a limit.
import type { TreeNode } from "../../state/file-tree.ts";
import type { Door } from "../door/door.ts";
import { joinPath } from "../door/paths.ts";
import { Refusal } from "../door/refusal.ts";

/** Entries of a tree. More than the largest prompt shows: 190,000 tokens hold some 25,000 names. The state of the conversation keeps it. */
export const MAX_TREE = 25_000;
/** Entries of one folder. A larger folder is named, and not listed. */
const MAX_ENTRIES = 250_000;

interface Open {
  readonly path: string;
  readonly children: TreeNode[];
}

/** Level by level, so that the deepest entries are missing first. A folder says how many of its entries are missing. */
export async function readTree(
  door: Door,
  signal: AbortSignal,
  max: number = MAX_TREE,
): Promise<readonly TreeNode[]> {
  const root: Open = { path: "", children: [] };
  const queue: Open[] = [root];
  let left = max;
  for (const { path, children } of queue) {
    signal.throwIfAborted();
    const entries = left === 0 ? undefined : await entriesOf(door, path);
    if (!entries) {
      children.push(leftOut(path, "not listed"));
      continue;
    }
    for (const [at, { name, kind }] of entries.entries()) {
      if (left === 0) {
        children.push(leftOut(path, `${entries.length - at} more`));
        break;
      }
      const filePath = joinPath(path, name);
      if ((await door.status(filePath, kind)) === "blocked") continue;
      left--;
      if (kind === "file") children.push({ name, type: "file", filePath });
      else {
        const inner: Open = { path: filePath, children: [] };
        children.push({ name, type: "directory", filePath, children: inner.children });
        queue.push(inner);
      }
    }
  }
  return root.children;
}

/** A line of the tree that is no file: it says what is missing. */
function leftOut(path: string, words: string): TreeNode {
  return { name: `(${words})`, type: "file", filePath: path };
}

async function entriesOf(door: Door, path: string) {
  try {
    const entries = await door.readFolder(path, { maxEntries: MAX_ENTRIES });
    return entries.flatMap(({ name, kind }) =>
      kind === "file" || kind === "folder" ? [{ name, kind } as const] : [],
    );
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
