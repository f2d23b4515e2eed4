// The schema of the frame that holds a whole answer, with its notes and observations.
import * as z from "zod/mini";
import type { Nullish, Shape } from "../core/schemas.ts";
import { boolean, fields, finite, lazy, literal, optional } from "../core/schemas.ts";

/** A gesture or an emote, in the server's form. */
export interface AnimationFrame {
  readonly type: "gesture" | "emote";
  /** Any name, not only a name of the server's library. */
  readonly name: string;
  /** Starts again with each round of tools. */
  readonly index?: Nullish<number>;
  /** Not limited to 0..1. */
  readonly intensity?: Nullish<number>;
  /** Seconds. */
  readonly delay?: Nullish<number>;
  /** The place of the tag in the tagged text. Only in the documented protocol. */
  readonly position?: Nullish<number>;
}

/** A tool that the model wanted to use, but that was not run. */
export interface CassToolUse {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
}

/** Something that the agent noticed about itself. */
interface SelfObservation {
  readonly observation: string;
  readonly category?: Nullish<string>;
  readonly confidence?: Nullish<number>;
  readonly area?: Nullish<string>;
}

/** Something that the agent noticed about the user. */
interface UserObservation {
  readonly observation: string;
  readonly category?: Nullish<string>;
  readonly confidence?: Nullish<number>;
  readonly direction?: Nullish<string>;
}

export interface Mark {
  readonly category: string;
  readonly description?: Nullish<string>;
}

/** An opinion that the agent keeps. */
interface Hold {
  readonly content: string;
  readonly topic?: Nullish<string>;
  readonly differ_user?: Nullish<string>;
  readonly is_identity?: Nullish<boolean>;
  readonly confidence?: Nullish<number>;
}

export interface Note {
  readonly type: string;
  readonly content?: Nullish<string>;
  readonly user?: Nullish<string>;
  readonly significance?: Nullish<string>;
  readonly level?: Nullish<string>;
  readonly frequency?: Nullish<string>;
  readonly valence?: Nullish<string>;
  readonly from_state?: Nullish<string>;
  readonly to_state?: Nullish<string>;
  readonly catalyst?: Nullish<string>;
}

interface Intention {
  readonly action: string;
  readonly content?: Nullish<string>;
  readonly condition?: Nullish<string>;
  readonly intention_id?: Nullish<string>;
  readonly success?: Nullish<boolean>;
  readonly status?: Nullish<string>;
}

interface Stake {
  readonly what?: Nullish<string>;
  readonly why?: Nullish<string>;
  readonly content?: Nullish<string>;
  readonly strength?: Nullish<string>;
  readonly category?: Nullish<string>;
}

/** Whether the agent's actions match its statements. */
interface ConsistencyTest {
  readonly stated?: Nullish<string>;
  readonly actual?: Nullish<string>;
  readonly consistent?: Nullish<boolean>;
  readonly content?: Nullish<string>;
}

interface Narration {
  readonly type?: Nullish<string>;
  readonly level?: Nullish<string>;
  readonly trigger?: Nullish<string>;
  readonly content?: Nullish<string>;
}

interface Milestone {
  readonly id?: Nullish<string>;
  readonly content?: Nullish<string>;
}

/**
 * The whole answer to a turn, as the server sent it. Only `text` comes from every server. An absent, null or unreadable field is
 * `undefined` or null here. A list keeps only its readable items.
 */
export interface ResponseFrame {
  readonly type: "response";
  /** Without tags on the real servers, except for some that leak. With tags in the documented protocol. */
  readonly text: string;
  readonly animations?: Nullish<readonly AnimationFrame[]>;
  /** The text with its tags. */
  readonly raw?: Nullish<string>;
  readonly tool_uses?: Nullish<readonly CassToolUse[]>;
  /** Null if nothing was stored; absent for a demo. */
  readonly conversation_id?: Nullish<string>;
  /** Base64. */
  readonly audio?: Nullish<string>;
  readonly audio_format?: Nullish<string>;
  readonly input_tokens?: Nullish<number>;
  readonly output_tokens?: Nullish<number>;
  readonly cache_read_tokens?: Nullish<number>;
  /** The token counts under the names of a relay. */
  readonly inputTokens?: Nullish<number>;
  readonly outputTokens?: Nullish<number>;
  /** The server's local time, without a zone. Compare it; do not parse it. */
  readonly timestamp?: Nullish<string>;
  readonly provider?: Nullish<string>;
  readonly model?: Nullish<string>;
  readonly self_observations?: Nullish<readonly SelfObservation[]>;
  readonly user_observations?: Nullish<readonly UserObservation[]>;
  readonly marks?: Nullish<readonly Mark[]>;
  readonly holds?: Nullish<readonly Hold[]>;
  readonly notes?: Nullish<readonly Note[]>;
  readonly intentions?: Nullish<readonly Intention[]>;
  readonly stakes?: Nullish<readonly Stake[]>;
  readonly tests?: Nullish<readonly ConsistencyTest[]>;
  readonly narrations?: Nullish<readonly Narration[]>;
  readonly milestones?: Nullish<readonly Milestone[]>;
}

const text = optional(z.string());
const flag = optional(boolean);

/** A number. Python's encoder writes NaN and Infinity, which are dropped. */
const figure = optional(finite);
const count = optional(z.custom<number>((value) => Number.isInteger(value) && Number(value) >= 0));

/** A list that keeps only its readable items. */
const listOf = <Item>(shape: Shape<Item>): z.ZodMiniType<Nullish<readonly Item[]>> => {
  const item = lazy(() => z.looseObject(shape));
  return z.transform((value): Nullish<readonly Item[]> => {
    if (!Array.isArray(value)) return value === null ? null : undefined;
    return value.flatMap((each) => {
      const read = item.safeParse(each);
      return read.success ? [read.data as Item] : [];
    });
  });
};

/** Animations, from a response or from stored messages. */
export const animationList = listOf<AnimationFrame>({
  type: literal("gesture", "emote"),
  name: z.string(),
  ...fields(figure, "index", "intensity", "delay", "position"),
});

export const response = lazy(() =>
  z.looseObject({
    type: literal("response"),
    text: z.string(),
    ...fields(text, "raw", "conversation_id", "timestamp", "provider", "model", "audio", "audio_format"),
    ...fields(count, "input_tokens", "output_tokens", "cache_read_tokens", "inputTokens", "outputTokens"),
    animations: animationList,
    tool_uses: listOf<CassToolUse>({ id: z.string(), tool: z.string(), input: z.unknown() }),
    self_observations: listOf<SelfObservation>({
      observation: z.string(),
      confidence: figure,
      ...fields(text, "category", "area"),
    }),
    user_observations: listOf<UserObservation>({
      observation: z.string(),
      confidence: figure,
      ...fields(text, "category", "direction"),
    }),
    marks: listOf<Mark>({ category: z.string(), description: text }),
    holds: listOf<Hold>({
      content: z.string(),
      is_identity: flag,
      confidence: figure,
      ...fields(text, "topic", "differ_user"),
    }),
    notes: listOf<Note>({
      type: z.string(),
      ...fields(text, "content", "user", "significance", "level", "frequency", "valence"),
      ...fields(text, "from_state", "to_state", "catalyst"),
    }),
    intentions: listOf<Intention>({
      action: z.string(),
      success: flag,
      ...fields(text, "content", "condition", "intention_id", "status"),
    }),
    stakes: listOf<Stake>(fields(text, "what", "why", "content", "strength", "category")),
    tests: listOf<ConsistencyTest>({ consistent: flag, ...fields(text, "stated", "actual", "content") }),
    narrations: listOf<Narration>(fields(text, "type", "level", "trigger", "content")),
    milestones: listOf<Milestone>(fields(text, "id", "content")),
  } satisfies Shape<ResponseFrame>),
);
