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
  test("is known with what it must have, and with more", () => {
    expect(isPrintModeEvent({ type, ...fields })).toBe(true);
    expect(isPrintModeEvent({ type, ...fields, ...besides[type], later: [1] })).toBe(true);
  });

  test("is not relied on without any one of them", () => {
    for (const name of Object.keys(fields)) {
      expect(isPrintModeEvent({ type, ...fields, [name]: undefined })).toBe(false);
      expect(isPrintModeEvent({ type, ...fields, [name]: null })).toBe(false);
    }
  });

  test("is not relied on where a field that it may have is of another kind, whatever fields of others are", () => {
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
  ["a type that is not known", { type: "confetti" }],
  ["a type that every object has", { type: "constructor" }],
  ["outputs that are none", { type: "tool_result", toolCallId: "t", output: [{ type: "video" }] }],
  ["run ids that are none", { type: "reasoning_delta", text: "", ancestorRunIds: [1], runId: "r" }],
])("%s is no such event", (_, chunk) => {
  expect(isPrintModeEvent(chunk)).toBe(false);
});

test("an event whose type is no text, but would be one as such, is none", () => {
  expect(isPrintModeEvent({ type: "text", text: "a" })).toBe(true);
  expect(isPrintModeEvent({ type: ["text"], text: "a" })).toBe(false);
});
