import fc from "fast-check";
import { expect } from "vitest";
import { readLine } from "../../src/codebuff-cli/messages.ts";
import { isPrintModeEvent } from "../../src/codebuff-events/print-mode.ts";
import { describe, test } from "./rows.ts";

const said = (value: unknown) => readLine(JSON.stringify(value));

/** Every event of the program with every field that is known of it. */
const FULL: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  start: { agentId: "base2", model: "openai/gpt-5-mini", messageHistoryLength: 4, session_id: "s" },
  text: { text: "I will look.", agentId: "s1" },
  reasoning_delta: { text: "look", runId: "r1", ancestorRunIds: ["r0"], agentId: "s1" },
  tool_call: {
    toolCallId: "t1",
    toolName: "read_files",
    input: { paths: ["a.txt"] },
    agentId: "main-agent",
    parentAgentId: "p",
    includeToolCall: true,
  },
  tool_progress: { toolCallId: "t1", toolName: "read_files", output: "1/1", parentAgentId: "p" },
  tool_result: {
    toolCallId: "t1",
    toolName: "read_files",
    output: [
      { type: "json", value: [{ path: "a.txt" }] },
      { type: "media", data: "AA==", mediaType: "image/png" },
    ],
    parentAgentId: "p",
  },
  subagent_start: {
    agentId: "s1",
    agentType: "reviewer",
    displayName: "Reviewer",
    onlyChild: true,
    model: "m",
    parentAgentId: "main-agent",
    params: { depth: 1 },
    prompt: "check it",
  },
  subagent_finish: { agentId: "s1", agentType: "reviewer", displayName: "Reviewer", onlyChild: false },
  error: { message: "Tool `nope` is not available.", source: "stream-interrupted" },
  finish: { totalCost: 12, agentId: "base2" },
  download: { version: "1.0.600", status: "failed" },
  subagent_chunk: { agentId: "s1", agentType: "reviewer", chunk: "fine" },
  reasoning_chunk: { agentId: "s1", ancestorRunIds: ["r0"], chunk: "hm" },
};

/** What each event must have. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  start: [],
  text: ["text"],
  reasoning_delta: ["text", "runId", "ancestorRunIds"],
  tool_call: ["toolCallId", "toolName", "input"],
  tool_progress: ["toolCallId", "output"],
  tool_result: ["toolCallId", "output"],
  subagent_start: ["agentId", "agentType", "displayName", "onlyChild"],
  subagent_finish: ["agentId", "agentType", "displayName", "onlyChild"],
  error: ["message"],
  finish: [],
  download: ["version", "status"],
  subagent_chunk: ["agentId", "agentType", "chunk"],
  reasoning_chunk: ["agentId", "ancestorRunIds", "chunk"],
};

/** A value of the wrong kind for any field. */
const wrong = (value: unknown): unknown => (typeof value === "string" ? 7 : "seven");

describe.each(Object.entries(FULL))("%s", (type, fields) => {
  const event = { type, ...fields };

  test(`2.4 ${type}: is read with all its fields, known and unknown`, () => {
    const more = { ...event, future: { a: [1] } };
    expect(said(more)).toEqual({ kind: "event", event: more, raw: more });
  });

  test.each(REQUIRED[type] ?? [])("is unparsed without `%s`", (name) => {
    const { [name]: _, ...others } = { ...event } as Record<string, unknown>;
    expect(said(others)).toEqual({ kind: "unparsed", problem: expect.stringContaining(type) });
  });

  test.each(Object.keys(fields).filter((name) => name !== "session_id" && type !== "finish"))(
    "is unparsed if `%s` has another type",
    (name) => {
      const odd = { ...event, [name]: wrong(fields[name]) };
      expect(said(odd)).toEqual({ kind: "unparsed", problem: expect.stringContaining(type) });
    },
  );
});

/** The fields that each event may be without, as far as they are strings or the like here. */
const OPTIONAL = Object.entries(FULL).flatMap(([type, fields]) =>
  Object.keys(fields)
    .filter((name) => name !== "session_id" && !REQUIRED[type]?.includes(name))
    .map((name) => [type, name] as const),
);

test.each(OPTIONAL)("%s drops its optional `%s` if that is null, and keeps the raw line", (type, name) => {
  const { [name]: _, ...others } = { type, ...FULL[type] } as Record<string, unknown>;
  const raw = { ...others, [name]: null };
  const line = said(raw);
  expect(line).toEqual({ kind: "event", event: others, raw });
  expect(line.kind === "event" && name in line.event).toBe(false);
});

test("a null is kept in an unknown field, and makes the line unparsed in a required field", () => {
  const odd = { type: "text", text: "Hi", agentId: null, source: { a: 1 }, model: null };
  expect(said(odd)).toMatchObject({ event: { type: "text", text: "Hi", source: { a: 1 }, model: null } });
  expect(said({ type: "text", text: null })).toMatchObject({ kind: "unparsed" });
  expect(said({ type: "tool_call", toolCallId: "t", toolName: null, input: {} })).toMatchObject({
    kind: "unparsed",
  });
});

describe("finish", () => {
  test.each([
    ["missing", {}],
    ["negative", { totalCost: -1 }],
    ["a string", { totalCost: "12" }],
    ["null", { totalCost: null }],
  ])("5.5 cost %s: has no cost, and still is a `finish`", (_, fields) => {
    expect(said({ type: "finish", agentId: "base2", ...fields })).toMatchObject({
      kind: "event",
      event: { type: "finish", agentId: "base2" },
    });
    const line = said({ type: "finish", ...fields });
    expect(line.kind === "event" && "totalCost" in line.event).toBe(false);
  });

  test("drops a cost of `NaN` or `Infinity`", () => {
    expect(readLine('{"type":"finish","totalCost":Infinity}')).toMatchObject({ event: { type: "finish" } });
    const line = readLine('{"type":"finish","totalCost":NaN}');
    expect(line.kind === "event" && "totalCost" in line.event).toBe(false);
  });

  test("keeps a cost of 0, and drops a cost that overflows", () => {
    expect(said({ type: "finish", totalCost: 0 })).toMatchObject({ event: { totalCost: 0 } });
    const line = readLine('{"type":"finish","totalCost":1e999}');
    expect(line.kind === "event" && "totalCost" in line.event).toBe(false);
  });

  test("drops an agent id that is not a string", () => {
    expect(said({ type: "finish", agentId: 3, totalCost: 1 })).toMatchObject({
      event: { type: "finish", totalCost: 1 },
    });
  });
});

const resultWith = (output: unknown) =>
  said({ type: "tool_result", toolCallId: "t", output, toolName: null });

test.each([
  [{ type: "media", data: "aGk=" }],
  [{ type: "media", mediaType: "text/plain" }],
  [{ value: 1 }],
  [{ type: 7 }],
  ["words"],
  [null],
])("a tool result with the part %j is unparsed", (part) => {
  expect(resultWith([{ type: "json", value: 1 }, part])).toMatchObject({ kind: "unparsed" });
});

test("a tool result whose output is not a list is unparsed", () => {
  expect(resultWith("words")).toMatchObject({ kind: "unparsed" });
});

test("a result part without a value gets null, and a part of an unknown type is kept", () => {
  const json = { type: "json", value: [1] };
  const video = { type: "video", data: "AA==" };
  expect(resultWith([json, { type: "json" }, video])).toMatchObject({
    kind: "event",
    event: {
      type: "tool_result",
      toolCallId: "t",
      output: [json, { type: "json", value: null }, { type: "unknown", part: video }],
    },
    raw: { output: [json, { type: "json" }, video] },
  });
});

describe("other lines", () => {
  test("2.4 framing chunk: a JSON string is a chunk of the root agent's text", () => {
    expect(readLine('"hé 👋"')).toEqual({
      kind: "event",
      event: { type: "chunk", text: "hé 👋" },
      raw: "hé 👋",
    });
  });

  test("2.4 framing unknown: an event of an unknown type is kept unchanged", () => {
    const event = { type: "dance", steps: [1, 2] };
    expect(said(event)).toEqual({ kind: "event", event: { type: "unknown", event }, raw: event });
  });

  test("names of Object.prototype are not event types or fields", () => {
    expect(said({ type: "constructor" })).toMatchObject({ event: { type: "unknown" } });
    expect(readLine('{"type":"text","text":"a","__proto__":{"agentId":"x"}}')).toMatchObject({
      event: { type: "text", text: "a" },
    });
  });

  test.each([
    ["", "blank"],
    ["  ", "blank"],
    ["\t", "blank"],
    ["{}", "ignored"],
    ['{"no":"type"}', "ignored"],
    ['{"success":"yes"}', "ignored"],
  ])("2.4 framing blank lines, no type: %j is no event, but %s", (line, kind) => {
    expect(readLine(line)).toEqual({ kind });
  });

  test.each([
    { success: true, output: "the answer" },
    { success: false, error: "no" },
  ])("%j is the report of a whole run", (value) => {
    expect(said(value)).toEqual({ kind: "report", value });
    expect(said({ type: "dance", ...value })).toMatchObject({ kind: "event", event: { type: "unknown" } });
  });

  test.each([
    "Downloading codebuff...",
    "[=====>   ] 50%\r[======> ] 60%",
    "{",
    '"type": "text",',
    '{"type":"text","text":"cut',
    "[1,2]",
    "42",
    "null",
    "true",
    '{"type":7}',
    '{"type":null}',
    "\u001b[2J",
  ])("2.4 framing unparsed: %j is not an event", (line) => {
    expect(readLine(line)).toEqual({ kind: "unparsed", problem: expect.any(String) });
  });

  test("2.4 framing NaN: NaN and Infinity are read as null, except inside strings", () => {
    const line =
      '{"type":"tool_call","toolCallId":"t","toolName":"NaN","input":{"a":NaN,"b":-Infinity,"c":"Infinity"}}';
    expect(readLine(line)).toMatchObject({
      event: { toolName: "NaN", input: { a: null, b: null, c: "Infinity" } },
    });
  });
});

test("the special check of a `text` line accepts the same lines as the general check", () => {
  const field = fc.oneof(fc.string(), fc.constantFrom(undefined, null), fc.integer(), fc.constant({}));
  const object = fc.record(
    { type: fc.constantFrom("text", "texts"), text: field, agentId: field, more: field },
    { requiredKeys: ["type"] },
  );
  fc.assert(
    fc.property(object, (value) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      if (value.type !== "text" || !isPrintModeEvent(parsed)) return;
      expect(readLine(JSON.stringify(value))).toEqual({ kind: "event", event: parsed, raw: parsed });
    }),
  );
  const refused = fc.record({ type: fc.constant("text"), text: fc.oneof(fc.integer(), fc.constant(null)) });
  fc.assert(fc.property(refused, (value) => said(value).kind === "unparsed"));
});
