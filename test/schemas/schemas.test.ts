import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  contentPartSchema,
  eventDataSchemas,
  universalEventJsonSchema,
  universalEventSchema,
  universalItemSchema,
} from "../../src/schemas/index.ts";
import { isUniversalEvent } from "../../src/universal/check/shape.ts";
import { UNIVERSAL_EVENT_TYPES } from "../../src/universal/events.ts";
import { everyType, type Line, type Path, pathsOf, withValue } from "../helpers/every-type.ts";
import { fits } from "../helpers/json-schema.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";

/** What each judge says of a value. */
const judged = (value: unknown) => ({
  zod: universalEventSchema.safeParse(value).success,
  json: fits(universalEventJsonSchema, value),
  guard: isUniversalEvent(value),
});

const ACCEPTED = { zod: true, json: true, guard: true };
const REFUSED = { zod: false, json: false, guard: false };

/** The fields of the transcript that an event may lack. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  "item.delta": ["data.part"],
  "permission.requested": ["data.item_id", "data.call_id"],
  "permission.resolved": ["data.item_id", "data.call_id", "data.reason"],
  "question.requested": ["data.questions", "data.call_id"],
  "question.resolved": [
    "data.questions",
    "data.answers",
    "data.answers.0.selected",
    "data.call_id",
    "data.reason",
  ],
  error: ["data.fatal", "data.retryable", "data.turn_id"],
  "turn.ended": ["data.metadata.cost"],
  "session.ended": ["data.metadata"],
};

/** Fields that hold any JSON. */
const FREE: Readonly<Record<string, readonly string[]>> = {
  "session.started": ["data.metadata"],
  "session.ended": ["data.metadata"],
  "permission.requested": ["data.metadata"],
  "permission.resolved": ["data.metadata"],
  "item.completed": ["data.item.content.1.json"],
};

const isIn = (table: Readonly<Record<string, readonly string[]>>, line: Line, path: Path): boolean =>
  table[String(line["type"])]?.includes(path.join(".")) ?? false;

/** The paths of all fields of a line. */
const fieldsOf = (line: Line): readonly Path[] =>
  pathsOf(line, (path) => isIn(FREE, line, path)).filter((path) => typeof path.at(-1) === "string");

const lines = everyType.map((line) => ({ name: `${line["event_id"]} ${line["type"]}`, line }));

describe("the transcript with every type of event", () => {
  test("has every type", () => {
    expect(new Set(everyType.map((line) => line["type"]))).toEqual(new Set(UNIVERSAL_EVENT_TYPES));
  });

  test.each(lines)("is accepted: $name", ({ line }) => {
    expect(judged(line)).toEqual(ACCEPTED);
    expect(universalEventSchema.safeParse(line).data).toEqual(line);
  });

  test.each(lines)("is refused without any one of its required fields: $name", ({ line }) => {
    const required = fieldsOf(line).filter((path) => !isIn(OPTIONAL, line, path));
    expect(required.length).toBeGreaterThanOrEqual(11);
    for (const path of required)
      expect({ path, ...judged(withValue(line, path, undefined)) }).toEqual({ path, ...REFUSED });
  });

  test.each(lines)("is accepted without any one of its optional fields: $name", ({ line }) => {
    for (const path of fieldsOf(line).filter((each) => isIn(OPTIONAL, line, each)))
      expect({ path, ...judged(withValue(line, path, undefined)) }).toEqual({ path, ...ACCEPTED });
  });

  test.each(lines)("is accepted with unknown fields in each object: $name", ({ line }) => {
    for (const path of [[], ...fieldsOf(line)].filter((each) => isPlainObject(valueAt(line, each)))) {
      const more = withValue(line, [...path, "later"], { since: "the next version" });
      expect({ path, ...judged(more) }).toEqual({ path, ...ACCEPTED });
      expect(universalEventSchema.safeParse(more).data).toEqual(more);
    }
  });
});

function valueAt(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined || typeof value !== "object" || value === null) return value;
  return valueAt(Reflect.get(value, name), rest);
}

const isPlainObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const [first = {}] = everyType;
const delta = everyType[5] ?? {};
const turnEnd = everyType[21] ?? {};
const sessionEnd = everyType[22] ?? {};

describe("both schemas", () => {
  test.each<{ name: string; line: unknown }>([
    { name: "no object", line: null },
    { name: "a list", line: [first] },
    { name: "an unknown type", line: { ...first, type: "session.paused" } },
    { name: "a type that is a name of Object.prototype", line: { ...first, type: "constructor" } },
    { name: "a sequence of 0", line: { ...first, sequence: 0 } },
    { name: "a fractional sequence", line: { ...first, sequence: 1.5 } },
    { name: "an id in another format", line: { ...first, event_id: "1" } },
    { name: "a time without milliseconds", line: { ...first, time: "2026-02-10T09:00:00Z" } },
    { name: "a time of another zone", line: { ...first, time: "2026-02-10T09:00:00.000+01:00" } },
    { name: "a month that does not exist", line: { ...first, time: "2026-13-10T09:00:00.000Z" } },
    { name: "an unknown source", line: { ...first, source: "user" } },
    { name: "an unknown kind of delta", line: withValue(delta, ["data", "part", "type"], "thought") },
    { name: "an item id in another format", line: withValue(delta, ["data", "item_id"], "c1") },
    { name: "an unknown status of a turn", line: withValue(turnEnd, ["data", "metadata", "status"], "done") },
    {
      name: "a count of tokens as text",
      line: withValue(turnEnd, ["data", "metadata", "usage"], { input_tokens: "3" }),
    },
    { name: "an exit code that is not whole", line: withValue(sessionEnd, ["data", "exit_code"], 0.5) },
  ])("refuse $name", ({ line }) => {
    expect(judged(line)).toEqual(REFUSED);
  });

  test.each<{ name: string; line: unknown }>([
    {
      name: "all counts of tokens",
      line: withValue(turnEnd, ["data", "metadata", "usage"], {
        input_tokens: 3,
        output_tokens: 4,
        total_output_tokens: 9,
        context_tokens: 7,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
      }),
    },
    {
      name: "the error output of a program",
      line: withValue(sessionEnd, ["data"], {
        reason: "error",
        terminated_by: "agent",
        message: "exit 1",
        exit_code: 1,
        stderr: { head: "a", tail: "z", truncated: true, total_lines: 90 },
      }),
    },
    { name: "any JSON as raw", line: { ...first, raw: [1, null, { a: [] }] } },
    { name: "a session without a native id", line: { ...first, native_session_id: null } },
  ])("accept $name", ({ line }) => {
    expect(judged(line)).toEqual(ACCEPTED);
  });

  test(
    "and the guard agree on any event with one changed value",
    () => {
      const places = everyType.flatMap((line) => pathsOf(line).map((path) => ({ line, path })));
      fc.assert(
        fc.property(
          fc.constantFrom(...places),
          fc.option(fc.jsonValue(), { nil: undefined }),
          ({ line, path }, changed) => {
            const { zod, json, guard } = judged(withValue(line, path, changed));
            expect({ json, guard }).toEqual({ json: zod, guard: zod });
          },
        ),
        runs(2_000),
      );
    },
    PATIENCE,
  );

  test("and the guard refuse any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(judged(value)).toEqual(REFUSED);
      }),
      runs(500),
    );
  });
});

describe("the schemas of parts", () => {
  test.each(lines)("accept the data, the item and the content of $name", ({ line }) => {
    const type = UNIVERSAL_EVENT_TYPES.find((each) => each === line["type"]) ?? "error";
    expect(eventDataSchemas[type].safeParse(line["data"]).success).toBe(true);
    const item = valueAt(line, ["data", "item"]);
    if (!type.startsWith("item.") || item === undefined) return;
    expect(universalItemSchema.safeParse(item).success).toBe(true);
    for (const part of [valueAt(item, ["content"])].flat())
      expect(contentPartSchema.safeParse(part).success).toBe(true);
  });

  test.each([
    { type: "text", text: "a" },
    { type: "reasoning", text: "a", visibility: "private" },
    { type: "tool_call", name: "read", arguments: "{}", call_id: "c1" },
    { type: "tool_result", call_id: "c1", output: "" },
    { type: "file_ref", path: "a.ts", action: "patch", diff: null },
    { type: "image", path: "data:image/png;base64,AA==", mime: "image/png" },
    { type: "json", json: null },
    { type: "status", label: "retrying", detail: null },
  ])("accept the part $type, and refuse it without any one field", (part) => {
    const started = everyType[4] ?? {};
    const inEvent = (content: unknown) => judged(withValue(started, ["data", "item", "content"], [content]));
    expect(inEvent(part)).toEqual(ACCEPTED);
    expect(contentPartSchema.safeParse(part).data).toEqual(part);
    for (const name of Object.keys(part)) {
      const less = withValue(part, [name], undefined);
      expect({ name, ...inEvent(less) }).toEqual({ name, ...REFUSED });
      expect(contentPartSchema.safeParse(less).success).toBe(false);
    }
  });
});

describe("the JSON Schema", () => {
  test("is plain JSON of the draft 2020-12, and has the events' version as its title", () => {
    expect(universalEventJsonSchema).toEqual(JSON.parse(JSON.stringify(universalEventJsonSchema)));
    expect(universalEventJsonSchema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "universal@2026-02+ext",
      $defs: { UniversalItem: { type: "object" }, ContentPart: {} },
    });
  });
});
