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
  tool_result: { toolCallId: "t", output: [{ type: "json", value: 1 }] },
  finish: { totalCost: 3 },
  subagent_start: SUBAGENT,
  subagent_finish: SUBAGENT,
  reasoning_delta: { text: "hm", ancestorRunIds: ["r0"], runId: "r1" },
};

describe.each(Object.entries(least))("%s", (type, fields) => {
  test("is known with what it must have, and with more", () => {
    expect(isPrintModeEvent({ type, ...fields })).toBe(true);
    expect(isPrintModeEvent({ type, ...fields, agentId: "a", later: [1] } as { type: string })).toBe(true);
  });

  test("is not relied on without any one of them, nor with an optional field of another kind", () => {
    for (const name of Object.keys(fields)) {
      expect(isPrintModeEvent({ type, ...fields, [name]: undefined })).toBe(false);
      expect(isPrintModeEvent({ type, ...fields, [name]: null })).toBe(false);
    }
    expect(isPrintModeEvent({ type, ...fields, parentAgentId: 5 } as { type: string })).toBe(false);
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
