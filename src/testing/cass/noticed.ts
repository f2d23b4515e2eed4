// What the later server notices in the model's text.
import { PythonFloat } from "../server/python-json.ts";

/** What the later server has noticed in what the model says, as it is on the wire. */
export interface Noticed {
  readonly self_observations: readonly object[];
  readonly user_observations: readonly object[];
  readonly marks: readonly object[];
  readonly holds: readonly object[] | null;
  readonly notes: readonly object[] | null;
  readonly intentions: readonly object[] | null;
  readonly stakes: readonly object[] | null;
  readonly tests: readonly object[] | null;
  readonly narrations: readonly object[] | null;
  readonly milestones: readonly object[] | null;
}

const MARK_CATEGORIES = [
  ...["uncertainty-framing", "pattern-recognition", "edge-touching", "differentiation"],
  ...["coherence-pressure", "insight", "resistance", "emergence"],
];
const OBSERVED = [
  ...["capability", "limitation", "pattern", "preference", "growth", "contradiction", "interest"],
  ...["communication_style", "background", "value", "relationship_dynamic", "identity"],
];
const DIRECTIONS = ["growth", "regression", "shift"];
const NOTES = ["moment", "tension", "presence", "pattern", "shift", "shaping", "resolve", "question"];
const ACTIONS = ["register", "outcome", "status"];
const NARRATIONS = ["deflection", "abstraction", "intellectualization"];
const USUAL_CONFIDENCE = 0.7;
const USUAL_CONFIDENCE_OF_SELF = 0.8;

const MARK = /<mark:([a-z-]+)>(?:((?:(?!<mark:)[\s\S])*?)<\/mark(?::[a-z-]+)?>)?/gi;

/** One tag with what is in it. */
class Tag {
  readonly content: string;
  readonly #attributes: string;

  constructor(attributes: string, content: string) {
    this.#attributes = attributes;
    this.content = content.trim();
  }

  /** A value without spaces; of one with spaces, the first word. */
  word(name: string): string | null {
    return new RegExp(`${name}=["']?([^"'>\\s]+)`).exec(this.#attributes)?.[1] ?? null;
  }

  /** A value that may have spaces. */
  text(name: string): string | null {
    return new RegExp(`${name}=["']?([^"']+)`).exec(this.#attributes)?.[1] ?? null;
  }

  oneOf(name: string, known: readonly string[]): string | null {
    const word = this.word(name);
    return word !== null && known.includes(word) ? word : null;
  }

  flag(name: string): boolean | null {
    const said = new RegExp(`${name}=["']?(true|false)`, "i").exec(this.#attributes)?.[1];
    return said === undefined ? null : said.toLowerCase() === "true";
  }

  /** Between 0 and 1; 0 counts as none. */
  confidence(usual = USUAL_CONFIDENCE): PythonFloat {
    const said = Number(/confidence=["']?([\d.]+)/.exec(this.#attributes)?.[1] ?? Number.NaN);
    return new PythonFloat(said > 0 ? Math.min(said, 1) : usual);
  }
}

/** Reads the tags, each of which is also taken out of the text. @param text what is left without gestures and emotes */
export function noticedIn(text: string): Noticed {
  const observations = tagsOf(text, "observe").filter(({ content }) => content !== "");
  return {
    self_observations: [
      ...tagsOf(text, "record_self_observation").flatMap(recordedOfSelf),
      ...observations.flatMap(ofSelf),
    ],
    user_observations: [
      ...tagsOf(text, "record_user_observation").flatMap(recordedOfUser),
      ...observations.flatMap(ofUser),
    ],
    marks: [...text.matchAll(MARK)].flatMap(({ 1: category = "", 2: description = "" }) => {
      const known = MARK_CATEGORIES.includes(category.toLowerCase());
      return known ? { category: category.toLowerCase(), description: description.trim() || null } : [];
    }),
    holds: anyOf(tagsOf(text, "hold").flatMap(hold)),
    notes: anyOf(tagsOf(text, "note").flatMap(note)),
    intentions: anyOf(tagsOf(text, "intend").flatMap(intention)),
    stakes: anyOf(tagsOf(text, "stake").flatMap(stake)),
    tests: anyOf(tagsOf(text, "test").flatMap(test)),
    narrations: anyOf(tagsOf(text, "narrate").flatMap(narration)),
    milestones: anyOf(tagsOf(text, "mark:milestone", "mark(?::milestone)?").flatMap(milestone)),
  };
}

function tagsOf(text: string, name: string, closer = name): readonly Tag[] {
  const tags = text.matchAll(new RegExp(`<${name}((?:\\s[^>]*)?)>([\\s\\S]*?)</${closer}>`, "g"));
  return [...tags].map(({ 1: attributes = "", 2: content = "" }) => new Tag(attributes, content));
}

function anyOf(found: readonly object[]): readonly object[] | null {
  return found.length > 0 ? found : null;
}

type Reading = readonly object[];

function recordedOfSelf(tag: Tag): Reading {
  const { content: observation } = tag;
  const category = tag.word("category") ?? "pattern";
  return observation === ""
    ? []
    : [{ observation, category, confidence: tag.confidence(USUAL_CONFIDENCE_OF_SELF) }];
}

function recordedOfUser(tag: Tag): Reading {
  const { content: observation } = tag;
  const category = tag.word("category") ?? "background";
  return observation === "" ? [] : [{ observation, category, confidence: tag.confidence() }];
}

function ofSelf(tag: Tag): Reading {
  const { content: observation } = tag;
  const confidence = tag.confidence();
  switch (tag.word("target")) {
    case "self":
      return [{ observation, category: tag.oneOf("category", OBSERVED) ?? "pattern", confidence }];
    case "growth":
      return [{ observation, category: "growth", area: tag.word("area"), confidence }];
    case "context":
      return [{ observation, category: "context", confidence }];
    default:
      return [];
  }
}

function ofUser(tag: Tag): Reading {
  if (!tag.word("target")?.startsWith("user:")) return [];
  const category = tag.oneOf("category", OBSERVED) ?? "background";
  const direction = tag.oneOf("direction", DIRECTIONS);
  return [{ observation: tag.content, category, confidence: tag.confidence(), direction }];
}

function hold(tag: Tag): Reading {
  const { content } = tag;
  if (content === "") return [];
  const differ_user = tag.word("differ")?.replace(/^user:/, "") ?? null;
  const is_identity = tag.word("self") === "identity";
  return [{ content, topic: tag.word("topic"), differ_user, is_identity, confidence: tag.confidence() }];
}

function note(tag: Tag): Reading {
  const { content } = tag;
  const type = tag.oneOf("type", NOTES);
  if (type === null || content === "") return [];
  return [
    {
      type,
      content,
      user: tag.word("user"),
      significance: tag.oneOf("significance", ["high", "medium", "low"]),
      level: tag.oneOf("level", ["full", "partial", "distanced"]),
      frequency: tag.oneOf("frequency", ["occasional", "regular", "frequent"]),
      valence: tag.oneOf("valence", ["positive", "neutral", "challenging", "mixed"]),
      from_state: tag.word("from"),
      to_state: tag.word("to"),
      catalyst: tag.text("catalyst"),
    },
  ];
}

function intention(tag: Tag): Reading {
  const { content } = tag;
  const action = tag.oneOf("action", ACTIONS);
  if (action === null || content === "") return [];
  const condition = tag.text("condition");
  const status = tag.oneOf("status", ["achieved", "abandoned", "ongoing"]);
  return [{ action, content, condition, intention_id: tag.word("id"), success: tag.flag("success"), status }];
}

function stake(tag: Tag): Reading {
  const what = tag.text("what");
  const why = tag.text("why");
  if (what === null || why === null) return [];
  const strength = tag.oneOf("strength", ["minor", "moderate", "significant", "core"]) ?? "significant";
  const category = tag.oneOf("category", ["relational", "ethical", "growth", "truth"]);
  return [{ what, why, content: tag.content, strength, category }];
}

function test(tag: Tag): Reading {
  const stated = tag.text("stated");
  const actual = tag.text("actual");
  const consistent = tag.flag("consistent");
  if (stated === null || actual === null || consistent === null) return [];
  return [{ stated, actual, consistent, content: tag.content }];
}

function narration(tag: Tag): Reading {
  const type = tag.oneOf("type", NARRATIONS);
  const level = tag.oneOf("level", ["light", "moderate", "heavy"]);
  const trigger = tag.text("trigger");
  if (type === null || level === null || trigger === null) return [];
  return [{ type, level, trigger, content: tag.content }];
}

function milestone(tag: Tag): Reading {
  const id = tag.word("id");
  return id === null || tag.content === "" ? [] : [{ id, content: tag.content }];
}
