import { describe, expect, test } from "vitest";
import { type CassDebug, type CassProgress, readDebug, readProgress } from "../../src/cass/progress.ts";

describe("the text of a `thinking`", () => {
  test.each<readonly [status: string, CassProgress]>([
    ["Retrieving memories...", { kind: "retrieving" }],
    ["Processing...", { kind: "processing" }],
    ["Generating response (Claude)...", { kind: "generating", by: "Claude" }],
    ["Generating response (OpenAI)...", { kind: "generating", by: "OpenAI" }],
    ["Generating response (local model)...", { kind: "generating", by: "local model" }],
    ["Generating response (a (b) c)...", { kind: "generating", by: "a (b) c" }],
    ["Executing: recall_journal...", { kind: "tools", tools: ["recall_journal"] }],
    ["Executing: a, b, c...", { kind: "tools", tools: ["a", "b", "c"] }],
    ["Using tool: recall_journal...", { kind: "tools", tools: ["recall_journal"] }],
    ["Using tool: [recall_journal]...", { kind: "tools", tools: ["recall_journal"] }],
    ["Using tool: [a, b]...", { kind: "tools", tools: ["a", "b"] }],
    ["Cass is preparing to introduce herself...", { kind: "intro" }],
    ["Cass is thinking...", { kind: "demo" }],
  ])("is recognised: %s", (status, progress) => expect(readProgress(status)).toEqual(progress));

  test.each([
    "",
    "Retrieving memories",
    " Retrieving memories...",
    "retrieving memories...",
    "Processing...\n",
    "Generating response ()...",
    "Generating response...",
    "Generating response (Claude)",
    "Executing: ...",
    "Executing recall_journal...",
    "Using tool: ...",
    "Continuing...",
    "constructor",
    "__proto__",
    "toString",
  ])("is `other` if it is unknown: %j", (status) => expect(readProgress(status)).toEqual({ kind: "other" }));
});

describe("the text of a `debug`", () => {
  test.each<readonly [message: string, CassDebug]>([
    [
      "[Tool Loop #1] stop_reason=tool_use, tools=['recall_journal']",
      { kind: "loop", round: 1, stopReason: "tool_use", tools: ["recall_journal"] },
    ],
    [
      "[Tool Loop #12] stop_reason=tool_use, tools=['a', 'b']",
      { kind: "loop", round: 12, stopReason: "tool_use", tools: ["a", "b"] },
    ],
    [
      "[OpenAI Tool Loop #1] stop_reason=tool_calls, tools=['a']",
      { kind: "loop", round: 1, stopReason: "tool_calls", tools: ["a"] },
    ],
    [
      "[Ollama Tool Loop #2] stop_reason=tool_use, tools=[]",
      { kind: "loop", round: 2, stopReason: "tool_use", tools: [] },
    ],
    [
      "[Tool Result] recall_journal: success=True, result=Today I...",
      { kind: "result", tool: "recall_journal", success: true, result: "Today I" },
    ],
    [
      "[Tool Result] look: success=False, result=two\nlines, and ... dots...",
      { kind: "result", tool: "look", success: false, result: "two\nlines, and ... dots" },
    ],
    [
      "[Tool Result] look: success=True, result=...",
      { kind: "result", tool: "look", success: true, result: "" },
    ],
    ["[Submitting 3 tool results to Claude...]", { kind: "submitting", results: 3 }],
    [
      "[Continuation] stop_reason=end_turn, has_text=True, new_tools=0",
      { kind: "continuation", stopReason: "end_turn", hasText: true, newTools: 0 },
    ],
    [
      "[Continuation] stop_reason=tool_use, has_text=False, new_tools=2",
      { kind: "continuation", stopReason: "tool_use", hasText: false, newTools: 2 },
    ],
    ["[Continuation text] I found it.\nReally.", { kind: "text", text: "I found it.\nReally." }],
    ["[Continuation text] (empty)", { kind: "text", text: "" }],
  ])("is recognised: %s", (message, debug) => expect(readDebug(message)).toEqual(debug));

  test.each([
    "",
    "[Tool Loop #] stop_reason=tool_use, tools=[]",
    "[Tool Loop #1] stop_reason=tool_use",
    "[Gemini Tool Loop #1] stop_reason=tool_use, tools=[]",
    "[Tool Result] look: success=True, result=x",
    "[Submitting results to Claude...]",
    "[Continuation] stop_reason=end_turn, has_text=true, new_tools=0",
    "Continuation text",
  ])("is `other` if it is unknown: %j", (message) => expect(readDebug(message)).toEqual({ kind: "other" }));
});

test("texts of any length are read in linear time", () => {
  const long = "a".repeat(2_000_000);
  expect(readProgress(`Using tool: [${long}`)).toEqual({ kind: "other" });
  expect(readProgress(`Executing: ${long}...`)).toEqual({ kind: "tools", tools: [long] });
  expect(readDebug(`[Continuation text] ${long}`)).toEqual({ kind: "text", text: long });
  expect(readDebug(`[Tool Loop #1] stop_reason=x, tools=[${"'".repeat(1_000_001)}]`)).toMatchObject({
    kind: "loop",
  });
  expect(readDebug(`[Tool Result] x: success=True, result=${".".repeat(1_000_000)}`)).toMatchObject({
    kind: "result",
  });
});
