import type { AnimationFrame, ResponseFrame } from "../response.ts";
import { essenceOf, type Mention, parse } from "./parse.ts";
import { intensityOf, scanTags } from "./scan.ts";

/** A gesture or an emote of an answer, for whatever moves a face or a body. */
export interface CassAnimation {
  /** Its place among the animations of the answer, which are in the order of the text where that is known. */
  readonly index: number;
  readonly type: "gesture" | "emote";
  /** Any name, whether or not the server's library lists it. */
  readonly name: string;
  /** As the model wrote it: may be 0 or more than 1. @default 1 */
  readonly intensity: number;
  /** When the server would play it, in seconds. It counts gestures first, and anew for each round of tools. */
  readonly delay?: number;
  /** UTF-16 index in the text of the character that it is to be played at; none where that is not known. */
  readonly offset?: number;
}

/** An answer as it is to be shown. */
export interface CassReply {
  /** Without tags and reasoning. */
  readonly text: string;
  readonly reasoning: readonly string[];
  readonly animations: readonly CassAnimation[];
}

/**
 * Turns a response into the reply to show: the text without tags, the reasoning, and the animations with their places. Without
 * `animations`, the tags of the text give the animations. The server's `index` is not read: it repeats.
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

/** Tags that newer servers take out of the text together with their content, whatever the content is. */
const METACOGNITIVE =
  /<\/?(?:record_self_observation|record_user_observation|create_roadmap_item|observe|hold|note|intend|stake|test|narrate|mark:milestone|thread:(?:create|link|resolve)|question:(?:add|resolve)|remember_person|remember_relationship)(?=[\s/>])/;

/**
 * Of `raw` and `text`, `raw` says more: it has the indentation, which servers take out of the text, and all tags. It
 * is used where it is the same text. After tools it may hold the text of other rounds too.
 */
function readBetter(text: string, raw: string | null | undefined) {
  const tags = scanTags(text);
  if (typeof raw === "string" && !METACOGNITIVE.test(raw)) {
    const rawTags = scanTags(raw);
    if (essenceOf(raw, rawTags) === essenceOf(text, tags)) return parse(raw, rawTags);
  }
  return parse(text, tags);
}

/** An animation with what is known of its place. */
interface Placed extends AnimationFrame {
  readonly offset?: number | undefined;
  /** Where its tag begins, as well as can be told. */
  readonly start: number;
}

/** The server's animations, in the order of the tags that they come from: each takes the next of its type and name. */
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
  let start = -1; // one without a place stays behind the one before it
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
