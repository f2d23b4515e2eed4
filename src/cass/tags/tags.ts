import { type Parsed, parse, type TagSpan } from "./parse.ts";
import { scanTags, type TagAnimation, TagScanner } from "./scan.ts";

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
  return shownOf(parse(input, scanTags(input)));
}

/** The text that is to be shown of one with tags: see {@link parseTags}. */
export function clean(text: string): string {
  return parseTags(text).text;
}

/** {@link parseTags} for a text that comes in pieces, however it is cut. Tags are found as they come. */
export class TagParser {
  readonly #scanner = new TagScanner();
  readonly #pieces: string[] = [];

  /** Adds a piece. */
  push(piece: string): void {
    this.#scanner.push(piece);
    this.#pieces.push(piece);
  }

  /**
   * What all pieces together say. That is known at the end alone: a closer that is still to come makes reasoning of
   * text.
   */
  end(): ParsedTags {
    return shownOf(parse(this.#pieces.join(""), this.#scanner.tags));
  }
}

function shownOf({ text, reasoning, mentions, spans }: Parsed): ParsedTags {
  const animations = mentions.flatMap(({ type, name, intensity, offset }) =>
    offset === undefined ? [] : [{ type, name, intensity, offset }],
  );
  return { text, reasoning, animations, spans };
}
