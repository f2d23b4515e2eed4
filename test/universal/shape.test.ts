import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUniversalEvent, shapeProblem } from "../../src/universal/check/shape.ts";
import { UNIVERSAL_EVENT_TYPES } from "../../src/universal/events.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { delta, LINES } from "./support/events.ts";

const events = LINES.map((line): Record<string, unknown> => JSON.parse(line));

/** The optional fields of the data of the types, as far as the transcript has them. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  "item.delta": ["part"],
  "permission.requested": ["item_id", "call_id"],
  "permission.resolved": ["item_id", "call_id", "reason"],
  "question.requested": ["questions", "call_id"],
  "question.resolved": ["questions", "answers", "call_id", "reason"],
  error: ["fatal", "retryable", "turn_id"],
  "session.ended": ["metadata"],
};

/** The paths of all fields: of the envelope, of the data, and of the item. */
function* pathsOf(event: Record<string, unknown>): Iterable<readonly string[]> {
  const data = Object(event["data"]);
  for (const name of Object.keys(event)) yield [name];
  for (const name of Object.keys(data)) yield ["data", name];
  for (const name of Object.keys(Object(data.item))) yield ["data", "item", name];
}

function without(
  value: Record<string, unknown>,
  [name = "", ...rest]: readonly string[],
): Record<string, unknown> {
  const { [name]: field, ...others } = value;
  return rest.length === 0 ? others : { ...others, [name]: without(Object(field), rest) };
}

describe("isUniversalEvent", () => {
  test("accepts each line of a transcript with an event of every type", () => {
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(UNIVERSAL_EVENT_TYPES));
    expect(events.map(shapeProblem)).toEqual(events.map(() => undefined));
  });

  test.each(events.map((event) => [String(event["event_id"]), event] as const))(
    "refuses %s without any one of its required fields",
    (_id, event) => {
      const optional = OPTIONAL[String(event["type"])] ?? [];
      for (const path of pathsOf(event)) {
        const isOptional = path.length === 2 && optional.includes(path[1] ?? "");
        expect([path, isUniversalEvent(without(event, path))]).toEqual([path, isOptional]);
      }
    },
  );

  test.each([
    ["a number", 5, /^The event is 5/],
    ["null", null, /^The event is null/],
    ["an array", [], /^The event is an array/],
    ["a sequence of 0", { ...delta(1), sequence: 0 }, /^sequence is 0/],
    ["a fractional sequence", { ...delta(1), sequence: 1.5 }, /^sequence is 1.5/],
    ["an unknown type", { ...delta(1), type: "item.changed" }, /^type is "item.changed"/],
    ["a type that is a name of Object.prototype", { ...delta(1), type: "toString" }, /^type is "toString"/],
    ["data that is not an object", { ...delta(1), data: [] }, /^data is an array/],
    [
      "an optional field of another type",
      { ...delta(1), data: { ...delta(1).data, part: "text" } },
      /^data\.part is/,
    ],
  ])("refuses %s", (_name, value, problem) => {
    expect(shapeProblem(value)).toMatch(problem);
    expect(isUniversalEvent(value)).toBe(false);
  });

  test.each([
    { type: "text" },
    { type: "tool_call", name: "a", arguments: {}, call_id: "c" },
    { type: "toString" },
    { type: "json" },
    null,
  ])("refuses an item with the part %j", (part) => {
    const item = {
      item_id: "itm_1",
      native_item_id: null,
      parent_id: null,
      kind: "message",
      role: "user",
      content: [part],
      status: "completed",
    };
    expect(shapeProblem({ ...delta(1), type: "item.completed", data: { item } })).toMatch(
      /^data\.item\.content/,
    );
  });

  test("accepts unknown fields from newer writers", () => {
    expect(isUniversalEvent({ ...delta(1), region: "eu", data: { ...delta(1).data, shade: 5 } })).toBe(true);
  });

  test(
    "never throws",
    () => {
      fc.assert(
        fc.property(fc.anything(), fc.constantFrom(...events), (value, event) => {
          expect(typeof isUniversalEvent(value)).toBe("boolean");
          expect(typeof isUniversalEvent({ ...event, data: value })).toBe("boolean");
          expect(typeof isUniversalEvent({ ...event, data: { item: value } })).toBe("boolean");
        }),
        runs(500),
      );
    },
    PATIENCE,
  );
});
