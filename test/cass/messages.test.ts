import { describe, expect, test } from "vitest";
import { decode, encode } from "../../src/cass/messages.ts";
import { parseFrame } from "../../src/core/text.ts";

const AT = "2026-01-28T10:00:00.964498";

/** What may be in the place of a field: a text, a figure, a whole figure, yes or no, an object, a list of objects. */
type Kind = "text" | "figure" | "count" | "flag" | "object" | "list" | "any";

interface Row {
  readonly type: string;
  /** A whole message, with every field. */
  readonly whole: Readonly<Record<string, unknown>>;
  /** Without these, or with something else in their place, it is none. */
  readonly required: Readonly<Record<string, Kind>>;
  /** These may be absent, null, or wrong, which is as good as absent. */
  readonly optional: Readonly<Record<string, Kind>>;
}

const item = (fields: Readonly<Record<string, unknown>>) => [fields];

/** The lists of a response: a whole item of each, which of its fields it needs, and what the others may be. */
const LISTS = {
  animations: {
    item: { type: "gesture", name: "wave", index: 0, intensity: 1, delay: 0.5, position: 7 },
    required: ["type", "name"],
  },
  tool_uses: { item: { id: "t1", tool: "look", input: { at: "x" } }, required: ["id", "tool", "input"] },
  self_observations: {
    item: { observation: "a", category: "b", confidence: 0.5, area: "c" },
    required: ["observation"],
  },
  user_observations: {
    item: { observation: "a", category: "b", confidence: 0.5, direction: "c" },
    required: ["observation"],
  },
  marks: { item: { category: "a", description: "b" }, required: ["category"] },
  holds: {
    item: { content: "a", topic: "b", differ_user: "c", is_identity: true, confidence: 1 },
    required: ["content"],
  },
  notes: {
    item: {
      type: "a",
      content: "b",
      user: "c",
      significance: "d",
      level: "e",
      frequency: "f",
      valence: "g",
      from_state: "h",
      to_state: "i",
      catalyst: "j",
    },
    required: ["type"],
  },
  intentions: {
    item: { action: "a", content: "b", condition: "c", intention_id: "d", success: true, status: "e" },
    required: ["action"],
  },
  stakes: { item: { what: "a", why: "b", content: "c", strength: "d", category: "e" }, required: [] },
  tests: { item: { stated: "a", actual: "b", consistent: false, content: "c" }, required: [] },
  narrations: { item: { type: "a", level: "b", trigger: "c", content: "d" }, required: [] },
  milestones: { item: { id: "a", content: "b" }, required: [] },
} as const satisfies Readonly<
  Record<string, { readonly item: Readonly<Record<string, unknown>>; readonly required: readonly string[] }>
>;

const lists = Object.entries(LISTS);

const ROWS: readonly Row[] = [
  {
    type: "connected",
    whole: { message: "Cass vessel connected", sdk_mode: true, user_id: "u1", timestamp: AT },
    required: {},
    optional: { message: "text", sdk_mode: "flag", user_id: "text", timestamp: "text" },
  },
  { type: "auth_success", whole: { user_id: "u1" }, required: { user_id: "text" }, optional: {} },
  { type: "auth_error", whole: { message: "Invalid token" }, required: {}, optional: {} },
  {
    type: "thinking",
    whole: { status: "Processing...", memories: { has_context: true, thread_count: 3 }, timestamp: AT },
    required: { status: "text" },
    optional: { memories: "object", timestamp: "text" },
  },
  {
    type: "debug",
    whole: { message: "x", timestamp: AT },
    required: { message: "text" },
    optional: { timestamp: "text" },
  },
  {
    type: "response",
    whole: {
      text: "Hello!",
      raw: "Hello! <gesture:wave>",
      conversation_id: "c1",
      audio: "AAAA",
      audio_format: "mp3",
      input_tokens: 1,
      output_tokens: 2,
      cache_read_tokens: 3,
      inputTokens: 1,
      outputTokens: 2,
      timestamp: AT,
      provider: "anthropic",
      model: "m1",
      ...Object.fromEntries(lists.map(([name, list]) => [name, item(list.item)])),
    },
    required: { text: "text" },
    optional: {
      raw: "text",
      conversation_id: "text",
      audio: "text",
      audio_format: "text",
      input_tokens: "count",
      output_tokens: "count",
      cache_read_tokens: "count",
      inputTokens: "count",
      outputTokens: "count",
      timestamp: "text",
      provider: "text",
      model: "text",
      ...Object.fromEntries(lists.map(([name]) => [name, "list" as const])),
    },
  },
  {
    type: "audio",
    whole: { url: "/audio/a.wav", audio: "AAAA", audio_format: "mp3", timestamp: AT },
    required: {},
    optional: { url: "text", audio: "text", audio_format: "text", timestamp: "text" },
  },
  ...["title_updated", "title_update"].map(
    (type): Row => ({
      type,
      whole: { conversation_id: "c1", title: "Of hats", timestamp: AT },
      required: { conversation_id: "text", title: "text" },
      optional: { timestamp: "text" },
    }),
  ),
  {
    type: "system",
    whole: { message: "Tidying up", status: "info", timestamp: AT },
    required: { message: "text" },
    optional: { status: "text", timestamp: "text" },
  },
  { type: "pong", whole: { timestamp: AT }, required: {}, optional: { timestamp: "text" } },
  {
    type: "status",
    whole: { sdk_mode: true, memory_count: 42, timestamp: AT },
    required: { sdk_mode: "flag", memory_count: "figure" },
    optional: { timestamp: "text" },
  },
  { type: "error", whole: { message: "No", timestamp: AT }, required: {}, optional: { timestamp: "text" } },
];

const VALUES: Readonly<Record<string, unknown>> = {
  text: "x",
  figure: 1.5,
  count: 7,
  flag: true,
  object: { a: 1 },
  list: [],
  NaN: Number.NaN,
  infinite: Number.POSITIVE_INFINITY,
};

/** What fits, besides what is of the kind itself. */
const FITS: Readonly<Record<Kind, readonly string[]>> = {
  text: [],
  figure: ["count"],
  count: [],
  flag: [],
  object: [],
  list: [],
  any: Object.keys(VALUES),
};

/** Values that are not of the kind. */
const wrong = (kind: Kind): readonly unknown[] =>
  Object.entries(VALUES).flatMap(([name, value]) =>
    name === kind || FITS[kind].includes(name) ? [] : [value],
  );

const without = (message: object, field: string): object =>
  Object.fromEntries(Object.entries(message).filter(([name]) => name !== field));

describe.each(ROWS)("$type", ({ type, whole, required, optional }) => {
  const message = { type, ...whole };

  test("is read with every field, known or unknown", () => {
    expect(decode(message)).toEqual(message);
    expect(decode({ ...message, later: [1] })).toEqual({ ...message, later: [1] });
  });

  test("needs only its required fields", () => {
    const least = Object.keys(optional).reduce(without, message);
    expect(decode(least)).toMatchObject({ type });
  });

  test.each(Object.entries(required))("is invalid without a valid %s", (field, kind) => {
    for (const bad of [
      without(message, field),
      { ...message, [field]: null },
      ...wrong(kind).map((value) => ({ ...message, [field]: value })),
    ])
      expect(decode(bad)).toEqual({
        type: "invalid",
        claims: type,
        problem: expect.stringContaining(`${type}: wrong or missing ${field}`),
      });
  });

  test.each(Object.entries(optional))("keeps a null %s, and drops a value of another type", (field, kind) => {
    expect(decode({ ...message, [field]: null })).toEqual({ ...message, [field]: null });
    for (const value of wrong(kind))
      expect(decode({ ...message, [field]: value })).toEqual({ ...message, [field]: undefined });
  });
});

describe("the lists of a response", () => {
  const read = (name: string, items: unknown): unknown => {
    const message = decode({ type: "response", text: "x", [name]: items });
    return Reflect.get(message, name);
  };

  test.each(lists)(
    "%s: a wrong field is dropped, and so is an item without its required fields",
    (name, list) => {
      const { item: whole, required } = list;
      expect(read(name, [whole, whole])).toEqual([whole, whole]);
      expect(read(name, [{ ...whole, later: 7 }])).toEqual([{ ...whole, later: 7 }]);
      for (const [field, value] of Object.entries(whole)) {
        const isRequired = (required as readonly string[]).includes(field);
        const bad = { ...whole, [field]: typeof value === "object" ? 7 : { odd: true } };
        const isAny = typeof value === "object"; // `input` is whatever the tool takes, but it is there
        const kept = isAny ? [bad] : isRequired ? [] : [{ ...whole, [field]: undefined }];
        expect(read(name, [bad]), field).toEqual(kept);
        const absent = without(whole, field);
        expect(read(name, [absent]), field).toEqual(isRequired ? [] : [absent]);
      }
      expect(read(name, [null, 7, "x", [], whole])).toEqual([whole]);
    },
  );

  test("an animation is a gesture or an emote", () => {
    expect(
      read("animations", [
        { type: "dance", name: "x" },
        { type: "emote", name: "" },
      ]),
    ).toEqual([{ type: "emote", name: "" }]);
  });

  test.each([0, -0.5, 5, 1e300])("an intensity may be any number: %d", (intensity) => {
    const whole = { type: "gesture", name: "x", intensity };
    expect(read("animations", [whole])).toEqual([whole]);
  });
});

describe("the numbers in a message", () => {
  test("must be whole and not negative as token counts", () => {
    for (const input_tokens of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "7", true])
      expect(decode({ type: "response", text: "x", input_tokens })).toEqual({
        type: "response",
        text: "x",
        input_tokens: undefined,
      });
  });

  test("are dropped if they are the NaN or Infinity that Python writes", () => {
    const text =
      '{"type":"response","text":"NaN","input_tokens":NaN,"output_tokens":Infinity,"animations":[{"type":"emote","name":"x","intensity":-Infinity}]}';
    expect(decode(parseFrame(text))).toMatchObject({
      text: "NaN",
      input_tokens: null,
      output_tokens: undefined,
      animations: [{ name: "x", intensity: undefined }],
    });
  });
});

describe("an error with an unreadable text is still an error", () => {
  test.each(["error", "auth_error"])("%s", (type) => {
    for (const message of [undefined, null, 7, { detail: "x" }])
      expect(decode({ type, message })).toEqual({ type, message: "an error without words" });
    expect(decode({ type })).toMatchObject({ type, message: "an error without words" });
  });
});

describe("an invalid or unknown message", () => {
  test.each([undefined, null, 7, "x", true, [], [{ type: "response" }]])("%j is no object", (value) => {
    expect(decode(value)).toEqual({ type: "invalid", problem: "a frame that is not an object" });
  });

  test.each([{}, { type: null }, { type: 7 }, { type: ["response"] }])("%j has no type", (value) => {
    expect(decode(value)).toEqual({ type: "invalid", problem: "a message without a `type`" });
  });

  test.each(["", "Response", "constructor", "__proto__", "calendar_updated", "tasks_updated", "dream"])(
    "%j is an unknown type",
    (type) => {
      const message = { type, tool: "x" };
      expect(decode(message)).toEqual({ type: "unknown", message });
    },
  );
});

describe("a frame that the client sends", () => {
  test.each([
    [encode.auth("t"), { type: "auth", token: "t" }],
    [encode.ping, { type: "ping" }],
    [encode.status, { type: "status" }],
    [encode.chat("hi", undefined, undefined), { type: "chat", message: "hi" }],
    [encode.chat("hi", "c1", undefined), { type: "chat", message: "hi", conversation_id: "c1" }],
    [
      encode.chat("hi", undefined, { image: "AAAA", image_media_type: "image/png" }),
      { type: "chat", message: "hi", image: "AAAA", image_media_type: "image/png" },
    ],
    [encode.intro("u1", "c1", undefined), { type: "onboarding_intro", user_id: "u1", conversation_id: "c1" }],
    [encode.intro("u1", undefined, { a: 1 }), { type: "onboarding_intro", user_id: "u1", profile: { a: 1 } }],
    [encode.demo("u1", undefined, undefined), { type: "onboarding_demo", user_id: "u1" }],
    [
      encode.demo("u1", "go", { a: 1 }),
      { type: "onboarding_demo", user_id: "u1", message: "go", profile: { a: 1 } },
    ],
  ])("%s", (frame, message) => expect(JSON.parse(frame)).toEqual(message));
});
