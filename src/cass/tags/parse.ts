// Takes the matched tags out of a text, and keeps what they meant.
import { type InputPiece, layOutTags } from "./layout.ts";
import { textOfRanges, withoutRejoined } from "./rejoined.ts";
import type { Range, Tag, TagAnimation } from "./scan.ts";
import { tidy } from "./whitespace.ts";

/** A part of the input of {@link parseTags}, and its kind. */
export interface TagSpan {
  /**
   * - `text`: part of the text.
   * - `tag`: one of the server's tags, or several adjacent ones.
   * - `reasoning`: the content of a reasoning block, including the white space at its ends.
   * - `mark`: the content of a mark, which is not shown.
   * - `space`: white space that a removed tag left over, or at an end of the text.
   */
  readonly kind: "text" | "tag" | "reasoning" | "mark" | "space";
  /** UTF-16 indices in the input: from `start` to before `end`. */
  readonly start: number;
  readonly end: number;
}

/** An animation that the server may see anywhere in the input. */
export interface Mention extends TagAnimation {
  /** The index of the tag in the input. */
  readonly start: number;
  /** The index in the text of the character after the tag; `undefined` inside of reasoning, which is not shown. */
  readonly offset: number | undefined;
}

/** The content of a text with tags. */
export interface Parsed {
  readonly text: string;
  readonly reasoning: readonly string[];
  readonly mentions: readonly Mention[];
  readonly spans: readonly TagSpan[];
}

const KINDS = ["tag", "text", "reasoning", "mark", "space"] as const satisfies readonly TagSpan["kind"][];

/** Parses `input`. `tags` are the tags of the input. */
export function parse(input: string, tags: readonly Tag[]): Parsed {
  const { pieces, blocks, unseen } = layOutTags(tags, input.length);
  const kinds = new Uint8Array(input.length); // indices in KINDS; the default is `tag`
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
    text: textOfRanges(input, shown),
    reasoning: reasoningOf(input, pieces, blocks),
    mentions: mentionsOf(tags, unseen, shown),
    spans: spansOf(kinds),
  };
}

/** The text without tags, marks and white space: the part that all servers leave the same. */
export function essenceOf(input: string, tags: readonly Tag[]): string {
  const pieces = layOutTags(tags, input.length).pieces.filter(({ of }) => of !== "mark");
  return textOfRanges(input, withoutRejoined(input, pieces)).replace(/\s/g, "");
}

/** The text of each block, without its inner blocks. Empty texts are left out. */
function reasoningOf(input: string, pieces: readonly InputPiece[], blocks: number): readonly string[] {
  const ranges = Array.from({ length: blocks }, (): Range[] => []);
  for (const piece of pieces) {
    if (typeof piece.of === "number") ranges[piece.of]?.push(piece);
  }
  return ranges
    .map((block) => textOfRanges(input, tidy(input, withoutRejoined(input, block))))
    .filter((text) => text !== "");
}

/** The animations with their places. `shown` are the ranges of the text. */
function mentionsOf(
  tags: readonly Tag[],
  unseen: ReadonlySet<Tag>,
  shown: readonly Range[],
): readonly Mention[] {
  const mentions: Mention[] = [];
  let length = 0; // length of the text before the tag
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
