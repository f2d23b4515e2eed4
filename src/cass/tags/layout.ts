import type { Range, Tag } from "./scan.ts";

/** What is between two tags. */
export interface Piece extends Range {
  /** The text, the text of a mark, or reasoning: then the number of its block, in the order of openers. */
  readonly of: "text" | "mark" | number;
}

/** Where everything between the tags belongs. */
export interface Layout {
  /** In order; together with the tags they are the whole input. None is empty. */
  readonly pieces: readonly Piece[];
  /** How many blocks of reasoning there are. */
  readonly blocks: number;
  /** The tags inside of reasoning; the opener itself is not. */
  readonly unseen: ReadonlySet<Tag>;
}

/** Puts what is between the tags into blocks and marks. Linear, and without recursion, however deep they are. */
export function layOut(tags: readonly Tag[], length: number): Layout {
  const paired = pairsOf(tags);
  const pieces: Piece[] = [];
  const unseen = new Set<Tag>();
  const within: number[] = []; // the blocks around the present place
  let blocks = 0;
  let marked = false;
  let from = 0;
  const piece = (end: number): void => {
    if (end > from) pieces.push({ start: from, end, of: marked ? "mark" : (within.at(-1) ?? "text") });
  };
  for (const tag of tags) {
    piece(tag.start);
    from = tag.end;
    if (within.length > 0) unseen.add(tag);
    if (!paired.has(tag)) continue;
    if (tag.kind === "opener") within.push(blocks++);
    else if (tag.kind === "closer") within.pop();
    else marked = tag.kind === "mark";
  }
  piece(length);
  return { pieces, blocks, unseen };
}

/**
 * Openers and closers that belong together. Tags of reasoning nest: a closer takes the innermost opener of its kind, and
 * openers inside that pair get no closer. Marks do not nest: a closer takes the last mark, and a further closer changes nothing.
 */
function pairsOf(tags: readonly Tag[]): ReadonlySet<Tag> {
  const paired = new Set<Tag>();
  const openers: (Tag & { readonly kind: "opener" })[] = [];
  const waiting = new Map<string, number>(); // openers of each kind: a missing one is not searched for
  const count = (block: string): number => waiting.get(block) ?? 0;
  let mark: Tag | undefined;
  for (const tag of tags) {
    if (tag.kind === "opener") {
      openers.push(tag);
      waiting.set(tag.block, count(tag.block) + 1);
    } else if (tag.kind === "closer" && count(tag.block) > 0) {
      let opener = openers.pop();
      for (; opener; opener = openers.pop()) {
        waiting.set(opener.block, count(opener.block) - 1);
        if (opener.block === tag.block) break;
      }
      if (opener) paired.add(opener).add(tag);
    } else if (tag.kind === "mark") {
      mark = tag;
    } else if (tag.kind === "mark-closer" && mark) {
      paired.add(mark).add(tag);
    }
  }
  return paired;
}
