import { layOut, type Piece } from "./layout.ts";
import { textOf, withoutRejoined } from "./rejoined.ts";
import type { Range, Tag, TagAnimation } from "./scan.ts";
import { tidy } from "./whitespace.ts";

/** A part of the input of {@link parseTags}, and what became of it. */
export interface TagSpan {
  /**
   * - `text`: stands in the text.
   * - `tag`: one of the server's tags, or several without anything between.
   * - `reasoning`: what is between the tags of a block of reasoning, the white space at its ends included.
   * - `mark`: what is between the tags of a mark, which is shown nowhere.
   * - `space`: white space that is too much because a tag was taken out, or that is at an end of the text.
   */
  readonly kind: "text" | "tag" | "reasoning" | "mark" | "space";
  /** UTF-16 indices in the input: from `start` to before `end`. */
  readonly start: number;
  readonly end: number;
}

/** An animation that the server may see in the input, wherever it is. */
export interface Mention extends TagAnimation {
  /** Where the tag begins in the input. */
  readonly start: number;
  /** Of the text's character behind the tag; none inside of reasoning, which is not shown. */
  readonly offset: number | undefined;
}

/** Everything that a text with tags says. */
export interface Parsed {
  readonly text: string;
  readonly reasoning: readonly string[];
  readonly mentions: readonly Mention[];
  readonly spans: readonly TagSpan[];
}

const KINDS = ["tag", "text", "reasoning", "mark", "space"] as const satisfies readonly TagSpan["kind"][];

/** What `input` says, whose tags have been found. */
export function parse(input: string, tags: readonly Tag[]): Parsed {
  const { pieces, blocks, unseen } = layOut(tags, input.length);
  const kinds = new Uint8Array(input.length); // indices in KINDS; all are tags, but for what follows
  const become = (kind: TagSpan["kind"], ranges: readonly Range[]): void => {
    for (const { start, end } of ranges) kinds.fill(KINDS.indexOf(kind), start, end);
  };
  for (const piece of pieces)
    if (piece.of !== "text") become(piece.of === "mark" ? "mark" : "reasoning", [piece]);
  const said = withoutRejoined(
    input,
    pieces.filter(({ of }) => of === "text"),
  );
  const shown = tidy(input, said);
  become("space", said);
  become("text", shown);
  return {
    text: textOf(input, shown),
    reasoning: reasoningOf(input, pieces, blocks),
    mentions: mentionsOf(tags, unseen, shown),
    spans: spansOf(kinds),
  };
}

/** The text with its tags taken out and nothing else but marks and white space: what all servers leave alike. */
export function essenceOf(input: string, tags: readonly Tag[]): string {
  const pieces = layOut(tags, input.length).pieces.filter(({ of }) => of !== "mark");
  return textOf(input, withoutRejoined(input, pieces)).replace(/\s/g, "");
}

/** What each block says, without the blocks inside of it. One that says nothing is left out. */
function reasoningOf(input: string, pieces: readonly Piece[], blocks: number): readonly string[] {
  const ranges = Array.from({ length: blocks }, (): Range[] => []);
  for (const piece of pieces) {
    if (typeof piece.of === "number") ranges[piece.of]?.push(piece);
  }
  return ranges
    .map((block) => textOf(input, tidy(input, withoutRejoined(input, block))))
    .filter((text) => text !== "");
}

/** `shown` are the ranges that make the text. */
function mentionsOf(
  tags: readonly Tag[],
  unseen: ReadonlySet<Tag>,
  shown: readonly Range[],
): readonly Mention[] {
  const mentions: Mention[] = [];
  let length = 0; // of the text in the ranges that begin before the tag
  let next = 0;
  for (const tag of tags) {
    for (let range = shown[next]; range && range.start < tag.start; range = shown[++next]) {
      length += range.end - range.start;
    }
    if (!("animation" in tag)) continue;
    mentions.push({ ...tag.animation, start: tag.start, offset: unseen.has(tag) ? undefined : length });
  }
  return mentions;
}

function spansOf(kinds: Uint8Array): readonly TagSpan[] {
  const spans: TagSpan[] = [];
  let start = 0;
  for (let end = 1; end <= kinds.length; end++) {
    if (end < kinds.length && kinds[end] === kinds[start]) continue;
    spans.push({ kind: KINDS[kinds[start] ?? 0] ?? "tag", start, end });
    start = end;
  }
  return spans;
}
