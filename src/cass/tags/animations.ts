// Gestures and emotes of an answer in their places, for interfaces with a face or a body.
import type { AnimationFrame, ResponseFrame } from "../response.ts";
import { essenceOf, type Mention, parse } from "./parse.ts";
import { intensityOf, scanTags } from "./scan.ts";

/** A gesture or an emote of an answer, for a UI that shows a face or a body. */
export interface CassAnimation {
  /** The index among the animations of the answer, in the order of the text as far as known. */
  readonly index: number;
  readonly type: "gesture" | "emote";
  /** Any name, in the server's library or not. */
  readonly name: string;
  /** The model's value: may be 0 or more than 1. @default 1 */
  readonly intensity: number;
  /**
   * The time at which the server would play the animation, in seconds. The server counts gestures first, and starts again with each round
   * of tools.
   */
  readonly delay?: number;
  /** UTF-16 index in the text of the character at which to play the animation; absent if unknown. */
  readonly offset?: number;
}

/** An answer in the form for display. */
export interface CassReply {
  /** Without tags and reasoning. */
  readonly text: string;
  readonly reasoning: readonly string[];
  readonly animations: readonly CassAnimation[];
}

/**
 * Turns a response into a reply for display: the text without tags, the reasoning, and the animations with their places. Without
 * `animations`, the animations come from the tags of the text. Ignores the server's `index`: its values repeat.
 */
export function readReply({
  text,
  raw,
  animations,
}: Pick<ResponseFrame, "text" | "raw" | "animations">): CassReply {
  const { mentions, ...said } = readBetter(text, raw);
  const placed =
    animations === undefined || animations === null
      ? mentions.filter(({ offset }) => offset !== undefined)
      : inOrder(animations, mentions, said.text.length);
  return {
    text: said.text,
    reasoning: said.reasoning,
    animations: placed.map(({ type, name, intensity, delay, offset }: Placed, index) => ({
      index,
      type,
      name,
      intensity: intensityOf(intensity),
      ...(isNumber(delay) ? { delay } : {}),
      ...(offset === undefined ? {} : { offset }),
    })),
  };
}

/** Tags that newer servers remove from the text together with their content. */
const METACOGNITIVE =
  /<\/?(?:record_self_observation|record_user_observation|create_roadmap_item|observe|hold|note|intend|stake|test|narrate|mark:milestone|thread:(?:create|link|resolve)|question:(?:add|resolve)|remember_person|remember_relationship)(?=[\s/>])/;

/**
 * Reads `raw` or `text`. `raw` holds more: the indentation, which servers remove from the text, and all tags. `raw` is used only if it
 * is the same text: after tools it may also hold the text of other rounds.
 */
function readBetter(text: string, raw: string | null | undefined) {
  const tags = scanTags(text);
  if (typeof raw === "string" && !METACOGNITIVE.test(raw)) {
    const rawTags = scanTags(raw);
    if (essenceOf(raw, rawTags) === essenceOf(text, tags)) return parse(raw, rawTags);
  }
  return parse(text, tags);
}

/** An animation with its known place. */
interface Placed extends AnimationFrame {
  readonly offset?: number | undefined;
  /** The start of its tag, as far as known. */
  readonly start: number;
}

/** The server's animations, in the order of their tags. Each animation takes the next tag of its type and name. */
function inOrder(
  animations: readonly AnimationFrame[],
  mentions: readonly Mention[],
  length: number,
): readonly Placed[] {
  const sought = new Map<string, { readonly found: Mention[]; taken: number }>();
  const of = ({ type, name }: { readonly type: string; readonly name: string }) => {
    const key = `${type}:${name}`;
    const entry = sought.get(key) ?? { found: [], taken: 0 };
    sought.set(key, entry);
    return entry;
  };
  for (const mention of mentions) of(mention).found.push(mention);
  let start = -1; // an animation without a place stays after the previous one
  const placed = animations.map((animation): Placed => {
    const entry = of(animation);
    const mention = entry.found[entry.taken++];
    const { position } = animation;
    start = mention?.start ?? (isNumber(position) ? position : start);
    return { ...animation, start, offset: mention ? mention.offset : clamped(position, length) };
  });
  return placed.sort((a, b) => a.start - b.start);
}

function clamped(position: unknown, length: number): number | undefined {
  return isNumber(position) ? Math.min(Math.max(Math.trunc(position), 0), length) : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
