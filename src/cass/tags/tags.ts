// The public functions on tags: read them, or clean a text of them.
import { parse, type TagSpan } from "./parse.ts";
import { scanTags, type TagAnimation } from "./scan.ts";

/** A gesture or an emote in a text. */
interface ParsedAnimation extends TagAnimation {
  /** The name in the tag, known to the server or not. */
  readonly name: string;
  /** The value in the tag: may be 0 or more than 1. @default 1 */
  readonly intensity: number;
  /** UTF-16 index in the text of the character after the tag; the text's length at the end. */
  readonly offset: number;
}

/** The content of a text with tags. */
export interface ParsedTags {
  /** The text for display: without tags, reasoning and marks. Cleaning it again changes nothing. */
  readonly text: string;
  /** The text of each reasoning block, cleaned like the text, in the order of the blocks' starts. */
  readonly reasoning: readonly string[];
  /** The animations that a server would play, outside of reasoning, in the order of the text. */
  readonly animations: readonly ParsedAnimation[];
  /** The kind of each part of the input, without gaps, in order. The parts of kind `text`, joined, are the text. */
  readonly spans: readonly TagSpan[];
}

/**
 * Reads the tags in a text of a Cass server or its model: `Hello! <gesture:wave> there` becomes the text `Hello! there` and a wave at 7.
 * Accepts any string.
 *
 * Removes the tags of gestures, emotes, memories and marks. Also removes similar tags: in another case, closing, self-closing, or with
 * an intensity that is no number. Any other `<…>` stays. White space stays too, except for surplus white space around a removed tag.
 * `<gesture:think>`, `<gesture:thinking>`, `<think>` and `<thinking>` begin reasoning, up to their closer. Without a closer, the rest is
 * text.
 *
 * Takes time in proportion to the length, for any input.
 */
export function parseTags(input: string): ParsedTags {
  const { text, reasoning, mentions, spans } = parse(input, scanTags(input));
  const animations = mentions.flatMap(({ type, name, intensity, offset }) =>
    offset === undefined ? [] : [{ type, name, intensity, offset }],
  );
  return { text, reasoning, animations, spans };
}

/** The text for display of a text with tags: see {@link parseTags}. */
export function clean(text: string): string {
  return parseTags(text).text;
}
