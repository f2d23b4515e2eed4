// Decides which parts of a text a tag encloses.
import type { Range, Tag } from "./scan.ts";

/** The input between two tags. */
export interface InputPiece extends Range {
  /** The owner of the piece: the text, a mark, or a reasoning block by its number, in the order of openers. */
  readonly of: "text" | "mark" | number;
}

/** The role of each part between the tags. */
export interface Layout {
  /** In order, and never empty. The pieces and the tags together are the whole input. */
  readonly pieces: readonly InputPiece[];
  /** The number of reasoning blocks. */
  readonly blocks: number;
  /** The tags inside of reasoning, without the opener itself. */
  readonly unseen: ReadonlySet<Tag>;
}

/** Assigns the input between the tags to blocks and marks. Linear, and without recursion at any depth. */
export function layOutTags(tags: readonly Tag[], length: number): Layout {
  const paired = pairsOf(tags);
  const pieces: InputPiece[] = [];
  const unseen = new Set<Tag>();
  const within: number[] = []; // the blocks around the current place
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
 * Finds the pairs of openers and closers. Reasoning tags nest: a closer takes the innermost opener of its kind, and openers inside that
 * pair stay without a closer. Marks do not nest: a closer takes the last mark, and a further closer has no effect.
 */
function pairsOf(tags: readonly Tag[]): ReadonlySet<Tag> {
  const paired = new Set<Tag>();
  const openers: (Tag & { readonly kind: "opener" })[] = [];
  const waiting = new Map<string, number>(); // number of openers of each kind: no search for a missing one
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
