import { describe, expect, test } from "vitest";
import { decode, encode, isDelta, isU32, MAX_U32 } from "../../src/codey/messages.ts";
import { say } from "../helpers/codey-fake.ts";

const STATE = {
  type: "State",
  agents: [{ id: 0, name: null, is_streaming: false }],
  pending_approvals: [{ agent_id: 0, call_id: "c1", name: "", params: null }],
};
const HISTORY = {
  type: "History",
  messages: [
    { role: "user", content: "Hello!", timestamp: "2024-01-15T10:30:00Z" },
    { role: "assistant", content: "Hi", timestamp: null },
  ],
};

/** One of each message that a server sends, as it should be. */
const RIGHT = [
  { type: "Connected", session_id: "550e8400-e29b-41d4-a716-446655440000" },
  say.text("a"),
  say.thinking("a"),
  say.request(["c1"]),
  say.asks("c1"),
  say.started("c1"),
  say.delta("c1", "a"),
  say.completed("c1", "a"),
  say.toolError("c1"),
  say.finished(),
  say.retrying(),
  HISTORY,
  STATE,
  say.pong,
  say.error(),
] as const;

/** A copy without the field, or with another value in it. */
function changed(message: object, field: string, value?: unknown): Record<string, unknown> {
  const { [field]: _, ...rest } = message as Record<string, unknown>;
  return value === undefined ? rest : { ...rest, [field]: value };
}

describe("a valid message", () => {
  test.each(RIGHT.map((message) => [message.type, message] as const))(
    "%s is read unchanged",
    (_, message) => {
      expect(decode(message)).toEqual(message);
    },
  );

  test.each(RIGHT.map((message) => [message.type, message] as const))(
    "%s keeps unknown fields",
    (_, message) => {
      expect(decode({ ...message, extra: [1] })).toEqual({ ...message, extra: [1] });
    },
  );
});

describe("an invalid message", () => {
  const strict = RIGHT.filter(({ type }) => type !== "Error" && type !== "Pong").flatMap((message) =>
    Object.keys(message)
      .filter((field) => field !== "type" && field !== "params" && field !== "usage")
      .map((field) => [message.type, field, message] as const),
  );

  test.each(strict)("%s without `%s` is invalid, and the problem names the field", (type, field, message) => {
    expect(decode(changed(message, field))).toMatchObject({
      type: "invalid",
      claims: type,
      problem: expect.stringContaining(field),
    });
    expect(decode(changed(message, field, { odd: 1 })).type).toBe("invalid");
  });

  test.each([
    ["text", "hello"],
    ["a number", 7],
    ["null", null],
    ["an array", []],
    ["an object without a type", {}],
    ["a type that is no text", { type: 7 }],
  ])("%s is no message", (_, value) => {
    const decoded = decode(value);
    expect(decoded.type).toBe("invalid");
    expect(decoded).not.toHaveProperty("claims");
  });

  test.each(["Telemetry", "textdelta", "constructor", "__proto__", ""])(
    "the type `%s` is unknown",
    (type) => {
      const message = { type };
      expect(decode(message)).toEqual({ type: "unknown", message });
    },
  );

  test("an unreadable approval request still names its call", () => {
    expect(decode(changed(say.asks("c1"), "name"))).toMatchObject({ undecided: "c1" });
    expect(decode(changed(say.asks("c1"), "call_id", 7))).not.toHaveProperty("undecided");
    expect(decode(changed(say.started("c1"), "name"))).not.toHaveProperty("undecided");
  });
});

describe("fields that are not essential", () => {
  test.each([undefined, null])("`params` that are %s become null", (params) => {
    const { params: _, ...rest } = say.asks("c1");
    expect(decode(params === undefined ? rest : { ...rest, params })).toMatchObject({
      type: "ToolAwaitingApproval",
      params: null,
    });
  });

  test.each([[[1, "a"]], ["text"], [0], [false]])("`params` may be any JSON: %o", (params) => {
    expect(decode({ ...say.asks("c1"), params })).toMatchObject({ params });
  });

  test.each([
    ["absent", undefined],
    ["null", null],
    ["no object", 7],
    ["missing a field", { output_tokens: 1 }],
    ["negative", { ...say.finished().usage, output_tokens: -1 }],
    ["fractional", { ...say.finished().usage, context_tokens: 1.5 }],
  ])("a `Finished` whose usage is %s is valid without a usage", (_, usage) => {
    const decoded = decode(changed(say.finished(), "usage", usage));
    expect(decoded).toEqual({ type: "Finished", agent_id: 0 });
  });

  test.each([
    [{ type: "Error" }, { message: "an error without words", fatal: false }],
    [
      { type: "Error", message: 7, fatal: "true" },
      { message: "an error without words", fatal: false },
    ],
    [
      { type: "Error", message: "broke", fatal: 1 },
      { message: "broke", fatal: false },
    ],
    [
      { type: "Error", message: "broke", fatal: true },
      { message: "broke", fatal: true },
    ],
  ])("an `Error` is valid whatever its fields are: %o", (message, expected) => {
    expect(decode(message)).toEqual({ type: "Error", ...expected });
  });

  test("missing names and times become null", () => {
    expect(
      decode({
        type: "History",
        messages: [
          { role: "user", content: "a", timestamp: 7 },
          { role: "user", content: "b" },
        ],
      }),
    ).toMatchObject({ messages: [{ timestamp: null }, { timestamp: null }] });
    expect(
      decode({ type: "State", agents: [{ id: 0, is_streaming: true }], pending_approvals: [] }),
    ).toMatchObject({ agents: [{ name: null }] });
  });
});

test.each([
  [0, true],
  [MAX_U32, true],
  [MAX_U32 + 1, false],
  [-1, false],
  [1.5, false],
  ["0", false],
  [null, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
])("%s is a valid agent id: %s", (value, is) => {
  expect(isU32(value)).toBe(is);
  expect(isDelta({ type: "TextDelta", agent_id: value, content: "" })).toBe(is);
});

test("a client sends compact JSON with the type first", () => {
  expect([
    encode.sendMessage('say "hi"', null),
    encode.sendMessage("hi", 0),
    encode.toolDecision("c1", true),
    encode.toolDecision("c1", false),
    encode.cancel,
    encode.getHistory,
    encode.getState,
    encode.ping,
  ]).toEqual([
    '{"type":"SendMessage","content":"say \\"hi\\"","agent_id":null}',
    '{"type":"SendMessage","content":"hi","agent_id":0}',
    '{"type":"ToolDecision","call_id":"c1","approved":true}',
    '{"type":"ToolDecision","call_id":"c1","approved":false}',
    '{"type":"Cancel"}',
    '{"type":"GetHistory"}',
    '{"type":"GetState"}',
    '{"type":"Ping"}',
  ]);
});
