// Parses tags in the model's text, as each server does.
import { PythonFloat } from "../server/python-json.ts";
import { type Noticed, noticedIn } from "./noticed.ts";

/** How a server splits the model's text into text and animations. */
export type TagReading =
  /** Tags stay in the text, and animations give their positions. */
  | "positions"
  /** The server of the document's time, and the later one. */
  | "v1"
  | "v2"
  /** `v2` without its later steps. For onboarding and the relay. */
  | "v2-plain"
  /** The pipeline of servers without the SDK. */
  | "legacy";

export type Animation = Readonly<Record<string, unknown>>;

const GESTURES = ["idle", "talk", "think", "point", "explain", "wave", "nod", "shrug"];
const EMOTES = ["happy", "concern", "excited", "thinking", "love", "surprised"];
/** The names in the server's own library. */
export const VOCABULARY = { gestures: GESTURES, emotes: EMOTES } as const;

const NAME = String.raw`[\p{L}\p{N}_]+`;
const INTENSITY = String.raw`(?:\d+(?:\.\d+)?|\.\d+)`;
const TAG = new RegExp(`<(gesture|emote):(${NAME})(?::(${INTENSITY}))?>`, "gu");
const TAG_OTHER_THAN_THINK = new RegExp(`<(?:gesture|emote):(?!think)${NAME}(?::${INTENSITY})?>`, "gu");
const CLOSER = new RegExp(`</(?:gesture|emote):${NAME}>`, "gu");
const MEMORY = new RegExp(`<memory:${NAME}>`, "gu");
const MARK = /<mark:[a-z-]+>(?:(?:(?!<mark:)[\s\S])*?<\/mark(?::[a-z-]+)?>)?/gi;
/** The closing tag of a milestone is removed later, with its whole element. */
const STRAY_MARK_CLOSER = /<\/mark:(?!milestone>)[a-z-]+>/gi;
const MILESTONE = /<mark:milestone(?:\s[^<>]*)?>[\s\S]*?<\/mark(?::milestone)?>/g;

const OBSERVATIONS = ["record_self_observation", "record_user_observation", "create_roadmap_item"];
const METACOGNITIVE = {
  v1: blocks(OBSERVATIONS),
  v2: blocks([
    ...OBSERVATIONS,
    ...["observe", "hold", "note", "intend", "stake", "test", "narrate"],
    ...["thread:create", "thread:link", "thread:resolve", "question:add", "question:resolve"],
    ...["remember_person", "remember_relationship"],
  ]),
};

/** Returns the text that a client gets. */
export function textOf(raw: string, reading: TagReading): string {
  switch (reading) {
    case "positions":
      return raw;
    case "v1":
      return blankLines(collapsed(raw.replace(TAG, "")).replace(METACOGNITIVE.v1, ""));
    case "v2":
      return blankLines(
        blankLines(
          collapsed(
            collapsed(raw.replace(TAG_OTHER_THAN_THINK, "")).replace(MARK, "").replace(STRAY_MARK_CLOSER, ""),
          ),
        )
          .replace(METACOGNITIVE.v2, "")
          .replace(MILESTONE, ""),
      );
    case "v2-plain":
      return collapsed(raw.replace(TAG_OTHER_THAN_THINK, ""));
    case "legacy":
      return collapsed(raw.replace(TAG, "").replace(CLOSER, "").replace(MEMORY, ""));
  }
}

/** Returns the lists that the later server reads from the tags. Other readings return empty lists. */
export function noticed(raw: string, reading: TagReading): Noticed {
  return noticedIn(reading === "v2" ? collapsed(raw.replace(TAG_OTHER_THAN_THINK, "")) : "");
}

/** Returns the animations of one round. */
export function animationsOf(raw: string, reading: TagReading): readonly Animation[] {
  const tags = [...raw.matchAll(TAG)].map(({ 1: type = "", 2: name = "", 3: intensity = "1", index }) => ({
    type,
    name,
    intensity: Number(intensity),
    index,
  }));
  switch (reading) {
    case "positions":
      return tags.map(({ type, name, index }) => ({ type, name, position: index }));
    case "v1":
      return inTime(byType(tags));
    case "v2":
    case "v2-plain":
      return inTime(byType(tags).filter(({ type, name }) => type !== "gesture" || name !== "think"));
    case "legacy":
      return inTime(withTalk(tags.map((tag) => ({ ...tag, name: tag.name.toLowerCase() })).filter(isKnown)));
  }
}

interface Tag {
  readonly type: string;
  readonly name: string;
  readonly intensity: number;
}

/** Sorts gestures before emotes. */
function byType(tags: readonly Tag[]): readonly Tag[] {
  return ["gesture", "emote"].flatMap((wanted) => tags.filter(({ type }) => type === wanted));
}

function isKnown({ type, name }: Tag): boolean {
  return (type === "gesture" ? GESTURES : EMOTES).includes(name);
}

/** Adds a `talk` gesture, unless there is one. */
function withTalk(tags: readonly Tag[]): readonly Tag[] {
  if (tags.some(({ type, name }) => type === "gesture" && name === "talk")) return tags;
  return [{ type: "gesture", name: "talk", intensity: 1 }, ...tags];
}

function inTime(tags: readonly Tag[]): readonly Animation[] {
  return tags.map(({ type, name, intensity }, index) => ({
    index,
    type,
    name,
    intensity: new PythonFloat(intensity),
    delay: new PythonFloat(index / 2),
  }));
}

function collapsed(text: string): string {
  return text.replace(/ +/g, " ").trim();
}

function blankLines(text: string): string {
  return text.replace(/\n\s*\n\s*\n/g, "\n\n").trim();
}

/** Matches elements of these names with their content. */
function blocks(names: readonly string[]): RegExp {
  return new RegExp(`<(${names.join("|")})(?:\\s[^<>]*)?(?:/>|>[\\s\\S]*?</\\1>)`, "g");
}
