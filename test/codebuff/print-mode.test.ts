import { isPrintModeEvent } from "agentwire/codebuff";
import { describe, expect, test } from "vitest";

const SUBAGENT = { agentId: "a", agentType: "file-picker", displayName: "File picker", onlyChild: true };

/** Each event with the least it must have. */
const least: Readonly<Record<string, object>> = {
  start: {},
  text: { text: "hi" },
  error: { message: "a tool failed" },
  download: { version: "1.0", status: "complete" },
  tool_call: { toolCallId: "t", toolName: "write_file", input: {} },
  tool_progress: { toolCallId: "t", output: "1/2" },
  tool_result: { toolCallId: "t", output: [{ type: "json", value: 1 }] },
  finish: { totalCost: 3 },
  subagent_start: SUBAGENT,
  subagent_finish: SUBAGENT,
  reasoning_delta: { text: "hm", ancestorRunIds: ["r0"], runId: "r1" },
  subagent_chunk: { agentId: "a", agentType: "file-picker", chunk: "hm" },
  reasoning_chunk: { agentId: "a", ancestorRunIds: [], chunk: "hm" },
};

const OF_SUBAGENT = { model: "m", parentAgentId: "a", params: {}, prompt: "p" };
const OF_RESULT = { toolName: "t", parentAgentId: "a" };

/** What each event may have besides. */
const besides: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  start: { agentId: "a", messageHistoryLength: 1, model: "m" },
  text: { agentId: "a" },
  error: { source: "output-limit" },
  tool_call: { agentId: "a", parentAgentId: "a", includeToolCall: true },
  tool_progress: OF_RESULT,
  tool_result: OF_RESULT,
  finish: { agentId: "a" },
  subagent_start: OF_SUBAGENT,
  subagent_finish: OF_SUBAGENT,
  reasoning_delta: { agentId: "a" },
};

/** Each of them, and one that nobody knows. */
const NAMES = [...new Set(Object.values(besides).flatMap((fields) => Object.keys(fields))), "later"];

describe.each(Object.entries(least))("%s", (type, fields) => {
  test("is recognised with its required fields, and with more", () => {
    expect(isPrintModeEvent({ type, ...fields })).toBe(true);
    expect(isPrintModeEvent({ type, ...fields, ...besides[type], later: [1] })).toBe(true);
  });

  test("is rejected without any one of its required fields", () => {
    for (const name of Object.keys(fields)) {
      expect(isPrintModeEvent({ type, ...fields, [name]: undefined })).toBe(false);
      expect(isPrintModeEvent({ type, ...fields, [name]: null })).toBe(false);
    }
  });

  test("is rejected if an optional field has a wrong type, but fields of other events may have any", () => {
    const others = NAMES.filter((name) => !(name in fields));
    const odd = (value: unknown) =>
      others.filter((name) => !isPrintModeEvent({ type, ...fields, [name]: value }));
    const own = Object.keys(besides[type] ?? {});
    expect(odd([5]).sort()).toEqual(own.toSorted());
    expect(odd(null).sort()).toEqual(own.toSorted());
    expect(odd(undefined)).toEqual([]);
  });
});

test.each([
  ["a string chunk", "text"],
  ["an event of an unknown type", { type: "confetti" }],
  ["an event of the type `constructor`", { type: "constructor" }],
  [
    "a tool_result with an invalid output",
    { type: "tool_result", toolCallId: "t", output: [{ type: "video" }] },
  ],
  [
    "a reasoning_delta with invalid run ids",
    { type: "reasoning_delta", text: "", ancestorRunIds: [1], runId: "r" },
  ],
])("%s is rejected", (_, chunk) => {
  expect(isPrintModeEvent(chunk)).toBe(false);
});

test("an event whose type is an array is rejected", () => {
  expect(isPrintModeEvent({ type: "text", text: "a" })).toBe(true);
  expect(isPrintModeEvent({ type: ["text"], text: "a" })).toBe(false);
});
