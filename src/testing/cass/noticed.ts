// The observations, marks and the like that the later server finds in the model's tags.
import { PythonFloat } from "../server/python-json.ts";

/** The lists of a response, by name. */
export type Noticed = Readonly<Record<string, readonly object[] | null>>;

interface Tag {
  readonly attributes: string;
  readonly content: string;
}

type Value = (tag: Tag) => unknown;
type Fields = Readonly<Record<string, Value>>;

/** A value without spaces. Of a value with spaces, the first word counts. */
const word =
  (name: string, usual: string | null = null) =>
  ({ attributes }: Tag): string | null =>
    new RegExp(`${name}=["']?([^"'>\\s]+)`).exec(attributes)?.[1] ?? usual;
/** A value that may contain spaces. */
const text =
  (name: string): Value =>
  ({ attributes }) =>
    new RegExp(`${name}=["']?([^"']+)`).exec(attributes)?.[1] ?? null;
const oneOf =
  (name: string, known: string, usual: string | null = null): Value =>
  (tag) => {
    const said = word(name)(tag);
    return said !== null && known.split(" ").includes(said) ? said : usual;
  };
const flag =
  (name: string): Value =>
  ({ attributes }) => {
    const said = new RegExp(`${name}=["']?(true|false)`, "i").exec(attributes)?.[1];
    return said === undefined ? null : said.toLowerCase() === "true";
  };
/** A number between 0 and 1. 0 counts as missing. */
const sure =
  (usual = 0.7): Value =>
  ({ attributes }) => {
    const said = Number(/confidence=["']?([\d.]+)/.exec(attributes)?.[1] ?? Number.NaN);
    return new PythonFloat(said > 0 ? Math.min(said, 1) : usual);
  };
const content: Value = (tag) => tag.content;
const differing: Value = (tag) => word("differ")(tag)?.replace(/^user:/, "") ?? null;

const MARKS =
  "uncertainty-framing pattern-recognition edge-touching differentiation coherence-pressure insight resistance emergence";
const OBSERVED =
  "capability limitation pattern preference growth contradiction interest communication_style background value relationship_dynamic identity";
const NOTES = "moment tension presence pattern shift shaping resolve question";

const about = (category: Value, more: Fields = {}, confidence = sure()): Fields => {
  return { observation: content, category, ...more, confidence };
};

/** How one tag becomes a list entry. */
interface Reader {
  readonly list: string;
  readonly tag: string;
  /** The fields that a tag needs. Without one of them, the tag is ignored. */
  readonly needs: string;
  readonly fields: Fields;
  readonly closer?: string;
  /** The required prefix of the attribute `target`. */
  readonly target?: string;
}

const self = { list: "self_observations", tag: "observe", needs: "observation" };
const user = { ...self, list: "user_observations" };

const READERS: readonly Reader[] = [
  { ...self, tag: "record_self_observation", fields: about(word("category", "pattern"), {}, sure(0.8)) },
  { ...self, target: "self", fields: about(oneOf("category", OBSERVED, "pattern")) },
  { ...self, target: "growth", fields: about(() => "growth", { area: word("area") }) },
  { ...self, target: "context", fields: about(() => "context") },
  { ...user, tag: "record_user_observation", fields: about(word("category", "background")) },
  {
    ...user,
    target: "user:",
    fields: {
      ...about(oneOf("category", OBSERVED, "background")),
      direction: oneOf("direction", "growth regression shift"),
    },
  },
  {
    ...{ list: "holds", tag: "hold", needs: "content" },
    fields: {
      content,
      topic: word("topic"),
      differ_user: differing,
      is_identity: (tag) => word("self")(tag) === "identity",
      confidence: sure(),
    },
  },
  {
    ...{ list: "notes", tag: "note", needs: "type content" },
    fields: {
      type: oneOf("type", NOTES),
      content,
      user: word("user"),
      significance: oneOf("significance", "high medium low"),
      level: oneOf("level", "full partial distanced"),
      frequency: oneOf("frequency", "occasional regular frequent"),
      valence: oneOf("valence", "positive neutral challenging mixed"),
      from_state: word("from"),
      to_state: word("to"),
      catalyst: text("catalyst"),
    },
  },
  {
    ...{ list: "intentions", tag: "intend", needs: "action content" },
    fields: {
      action: oneOf("action", "register outcome status"),
      content,
      condition: text("condition"),
      intention_id: word("id"),
      success: flag("success"),
      status: oneOf("status", "achieved abandoned ongoing"),
    },
  },
  {
    ...{ list: "stakes", tag: "stake", needs: "what why" },
    fields: {
      what: text("what"),
      why: text("why"),
      content,
      strength: oneOf("strength", "minor moderate significant core", "significant"),
      category: oneOf("category", "relational ethical growth truth"),
    },
  },
  {
    ...{ list: "tests", tag: "test", needs: "stated actual consistent" },
    fields: { stated: text("stated"), actual: text("actual"), consistent: flag("consistent"), content },
  },
  {
    ...{ list: "narrations", tag: "narrate", needs: "type level trigger" },
    fields: {
      type: oneOf("type", "deflection abstraction intellectualization"),
      level: oneOf("level", "light moderate heavy"),
      trigger: text("trigger"),
      content,
    },
  },
  {
    ...{ list: "milestones", tag: "mark:milestone", closer: "mark(?::milestone)?", needs: "id content" },
    fields: { id: word("id"), content },
  },
];

const MARK = /<mark:([a-z-]+)>(?:((?:(?!<mark:)[\s\S])*?)<\/mark(?::[a-z-]+)?>)?/gi;

/** Reads the tags. @param said the text without gestures and emotes */
export function noticedIn(said: string): Noticed {
  const lists: Record<string, object[] | null> = { self_observations: [], user_observations: [] };
  lists["marks"] = [...said.matchAll(MARK)].flatMap(({ 1: name = "", 2: description = "" }) => {
    const category = name.toLowerCase();
    return MARKS.split(" ").includes(category) ? { category, description: description.trim() || null } : [];
  });
  for (const reader of READERS) {
    const found = entriesOf(said, reader);
    const before = lists[reader.list] ?? null;
    lists[reader.list] = before || found.length > 0 ? [...(before ?? []), ...found] : null;
  }
  return lists;
}

function entriesOf(said: string, { tag: name, closer = name, needs, target, fields }: Reader): object[] {
  const found = said.matchAll(new RegExp(`<${name}((?:\\s[^>]*)?)>([\\s\\S]*?)</${closer}>`, "g"));
  return [...found].flatMap(({ 1: attributes = "", 2: inner = "" }): object | object[] => {
    const tag = { attributes, content: inner.trim() };
    if (target !== undefined && !word("target", "")(tag)?.startsWith(target)) return [];
    const entry = new Map(Object.entries(fields).map(([field, value]) => [field, value(tag)]));
    const isWhole = needs.split(" ").every((field) => (entry.get(field) ?? "") !== "");
    return isWhole ? Object.fromEntries(entry) : [];
  });
}
