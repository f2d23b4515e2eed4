// Quotes, lists and items that are open.
import type { ListBlock, ListItem, MarkdownBlock } from "./blocks.ts";

export interface OpenQuote {
  readonly type: "quote";
  blocks: MarkdownBlock[];
  /** Whether its beginning has settled. */
  joins: boolean;
}

export interface OpenList {
  readonly type: "list";
  readonly mark: string;
  /** The number of the first item that has not settled. */
  start: number | undefined;
  items: ListItem[];
  joins: boolean;
}

export interface OpenListItem {
  readonly type: "item";
  /** Columns before its content: lines with as many belong to it. */
  readonly indent: number;
  blocks: MarkdownBlock[];
  checked: boolean | undefined;
  /** Whether it has nothing yet: it ends at a blank line. */
  empty: boolean;
  joins: boolean;
}

export type Container = OpenQuote | OpenList | OpenListItem;

const joined = (joins: boolean): { joins?: true } => (joins ? { joins: true } : {});

export function copyOf(container: Container): Container {
  if (container.type === "list") return { ...container, items: [...container.items] };
  return { ...container, blocks: [...container.blocks] };
}

function itemOf({ blocks, checked, joins }: OpenListItem): ListItem {
  return { ...(checked === undefined || joins ? {} : { checked }), blocks, ...joined(joins) };
}

function listOf({ start, items, joins }: OpenList): ListBlock {
  return { type: "list", ...(start === undefined ? {} : { start }), items, ...joined(joins) };
}

/** Puts a container that has ended into the one around it, or into `root`. */
export function close(container: Container, around: Container | undefined, root: MarkdownBlock[]): void {
  if (container.type === "item") {
    if (around?.type === "list" && !(container.joins && container.blocks.length === 0))
      around.items.push(itemOf(container));
    return;
  }
  const into = around === undefined || around.type === "list" ? root : around.blocks;
  if (container.type === "list") {
    if (container.items.length > 0 || !container.joins) into.push(listOf(container));
  } else if (container.blocks.length > 0 || !container.joins) {
    into.push({ type: "quote", blocks: container.blocks, ...joined(container.joins) });
  }
}

/** Takes what is complete out of the containers, as one block. The rest of each joins it. */
export function takeComplete(containers: readonly Container[]): MarkdownBlock | undefined {
  let block: MarkdownBlock | undefined;
  let item: ListItem | undefined;
  for (const container of [...containers].reverse()) {
    if (container.type === "list") {
      if (item !== undefined) container.items.push(item);
      const complete = container.items.length - (item === undefined ? 0 : 1);
      item = undefined;
      block = undefined;
      if (container.items.length === 0) continue;
      block = listOf(container);
      if (container.start !== undefined) container.start += complete;
      container.items = [];
    } else {
      if (block !== undefined) container.blocks.push(block);
      block = undefined;
      if (container.blocks.length === 0) continue;
      if (container.type === "item") item = itemOf(container);
      else block = { type: "quote", blocks: container.blocks, ...joined(container.joins) };
      container.blocks = [];
    }
    container.joins = true;
  }
  return block;
}
