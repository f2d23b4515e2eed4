// A project's file tree, and its text for a prompt.
import { isObject } from "../../core/checks.ts";

/** An entry of a project's tree. */
export interface TreeNode {
  readonly name: string;
  readonly type: "file" | "directory";
  readonly filePath: string;
  readonly children?: readonly TreeNode[];
}

export function treeOf(paths: readonly string[]): readonly TreeNode[] {
  const root: TreeNode[] = [];
  const folders = new Map<string, TreeNode[]>([["", root]]);
  const inFolder = (path: string): TreeNode[] => {
    const found = folders.get(path);
    if (found) return found;
    const children: TreeNode[] = [];
    const cutAt = path.lastIndexOf("/");
    inFolder(cutAt === -1 ? "" : path.slice(0, cutAt)).push({
      name: path.slice(cutAt + 1),
      type: "directory",
      filePath: path,
      children,
    });
    folders.set(path, children);
    return children;
  };
  for (const path of [...paths].sort()) {
    const cutAt = path.lastIndexOf("/");
    const name = path.slice(cutAt + 1);
    inFolder(cutAt === -1 ? "" : path.slice(0, cutAt)).push({ name, type: "file", filePath: path });
  }
  return root;
}

interface Folder {
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
  readonly depth: number;
  shown: number;
}

/** Characters of the line `(N more)`, without its indentation. */
const MARK = 20;

/**
 * Prints a tree, one line per entry. Over the budget, the deepest entries are replaced by their number.
 * @param tree from a run state, which another program may have written
 * @param budget in characters
 */
export function printedTree(tree: unknown, budget: number): string {
  const root = folderOf(tree, 0);
  const folders = new Map<unknown, Folder>();
  const queue = [root];
  let left = budget - MARK;
  for (const folder of queue) {
    const { nodes, depth } = folder;
    for (const node of nodes) {
      const isFolder = node["type"] === "directory";
      const size = depth + 2 + String(node["name"]).length + (isFolder ? depth + 1 + MARK : 0);
      if (size > left) return linesOf(root, folders).join("\n");
      left -= size;
      folder.shown++;
      if (!isFolder) continue;
      const inner = folderOf(node["children"], depth + 1);
      folders.set(node, inner);
      queue.push(inner);
    }
    left += depth + MARK; // no `(N more)` line is needed
  }
  return linesOf(root, folders).join("\n");
}

function folderOf(nodes: unknown, depth: number): Folder {
  const known = Array.isArray(nodes) ? nodes.filter(isObject) : [];
  return { nodes: known.filter(({ name }) => typeof name === "string"), depth, shown: 0 };
}

function linesOf({ nodes, depth, shown }: Folder, folders: ReadonlyMap<unknown, Folder>): readonly string[] {
  const indent = " ".repeat(depth);
  const lines = nodes.slice(0, shown).flatMap((node) => {
    const inner = folders.get(node);
    return [
      `${indent}${oneLineName(node["name"])}${inner ? "/" : ""}`,
      ...(inner ? linesOf(inner, folders) : []),
    ];
  });
  return shown === nodes.length ? lines : [...lines, `${indent}(${nodes.length - shown} more)`];
}

/** A file name without control characters, so that it stays on one line. */
export function oneLineName(name: unknown): string {
  return String(name).replace(/\p{Cc}/gu, "?");
}
