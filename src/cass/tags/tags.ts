import { parse, type TagSpan } from "./parse.ts";
import { scanTags, type TagAnimation } from "./scan.ts";

/** A gesture or an emote that a text asks for. */
export interface ParsedAnimation extends TagAnimation {
  /** As it is written, whether or not the server knows it. */
  readonly name: string;
  /** As it is written, which may be 0 or more than 1. @default 1 */
  readonly intensity: number;
  /** UTF-16 index in the text of the character behind the tag; the text's length at its end. */
  readonly offset: number;
}

/** What a text with tags says. */
export interface ParsedTags {
  /** What is to be shown: without tags, reasoning and marks. To clean it again changes nothing. */
  readonly text: string;
  /** What stood in each block of reasoning, cleaned like the text; in the order in which the blocks begin. */
  readonly reasoning: readonly string[];
  /** Those that a server would play, outside of reasoning; in the order of the text. */
  readonly animations: readonly ParsedAnimation[];
  /** What became of each part of the input: without a gap, in order. Those of kind `text`, joined, are the text. */
  readonly spans: readonly TagSpan[];
}

/**
 * Reads the tags in what a Cass server, or its model, has said: `Hello! <gesture:wave> there` is the text
 * `Hello! there` and a wave at 7. Any string is fine.
 *
 * Tags of gestures, emotes, memories and marks go, also what is nearly one: in another case, closing, closing itself,
 * with an intensity that is no number. Any other `<…>` stays. So does white space, but for what would be too much
 * where a tag was. `<gesture:think>`, `<gesture:thinking>`, `<think>` and `<thinking>` begin reasoning, up to their
 * closer; without one, what follows is text.
 *
 * Takes time in proportion to the length, whatever the input.
 */
export function parseTags(input: string): ParsedTags {
  const { text, reasoning, mentions, spans } = parse(input, scanTags(input));
  const animations = mentions.flatMap(({ type, name, intensity, offset }) =>
    offset === undefined ? [] : [{ type, name, intensity, offset }],
  );
  return { text, reasoning, animations, spans };
}

/** The text that is to be shown of one with tags: see {@link parseTags}. */
export function clean(text: string): string {
  return parseTags(text).text;
}
