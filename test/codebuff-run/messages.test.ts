import { describe, expect, test } from "vitest";
import { readRefusal } from "../../src/codebuff-run/errors.ts";
import { type ChatChunk, type RunMessage, readChatMessage } from "../../src/codebuff-run/messages.ts";
import { AnswerBuilder, chunkOfCompletion } from "../../src/codebuff-run/model/answer.ts";
import { toWire } from "../../src/codebuff-run/state/history.ts";
import { readPrevious } from "../../src/codebuff-run/state/run-state.ts";
import { sumOf } from "../../src/codebuff-run/turn.ts";

// What comes over the wire, read.

describe("a stream message is read as a chunk", () => {
  test.each<[string, object]>([
    ["empty", {}],
    ["with nulls", { id: null, choices: null, usage: null }],
    ["whose choice has no delta", { choices: [{ index: 0, delta: null, finish_reason: "stop" }] }],
    [
      "with unknown fields",
      { choices: [{ delta: { content: "a", audio: {} }, logprobs: [] }], served_by: 1 },
    ],
    [
      "with a fragment that names no function",
      { choices: [{ delta: { tool_calls: [{ index: 0, id: "a" }] } }] },
    ],
  ])("%s", (_, chunk) => {
    expect(readChatMessage(chunk)).toEqual({ type: "chunk", chunk });
  });
});

describe("a stream message is read as malformed", () => {
  test.each<[string, unknown]>([
    ["a text", "data"],
    ["nothing", undefined],
    ["an id that is a number", { id: 1 }],
    ["choices that are no list", { choices: {} }],
    ["a choice that is no object", { choices: ["a"] }],
    ["a place that is a text", { choices: [{ index: "0" }] }],
    ["an end that is no word", { choices: [{ finish_reason: 1 }] }],
    ["a delta that is a text", { choices: [{ delta: "a" }] }],
    ["content that is a list", { choices: [{ delta: { content: [] } }] }],
    ["reasoning that is an object", { choices: [{ delta: { reasoning: {} } }] }],
    ["calls that are no list", { choices: [{ delta: { tool_calls: {} } }] }],
    ["a fragment that is no object", { choices: [{ delta: { tool_calls: [1] } }] }],
    ["a fragment whose place is a text", { choices: [{ delta: { tool_calls: [{ index: "0" }] } }] }],
    ["a fragment whose id is a number", { choices: [{ delta: { tool_calls: [{ index: 0, id: 1 }] } }] }],
    ["a function that is a text", { choices: [{ delta: { tool_calls: [{ index: 0, function: "f" }] } }] }],
    [
      "arguments that are an object",
      { choices: [{ delta: { tool_calls: [{ function: { arguments: {} } }] } }] },
    ],
    ["usage that is a number", { usage: 1 }],
    ["tokens that are a text", { usage: { prompt_tokens: "1" } }],
    ["a cost that is a text", { usage: { cost_details: { upstream_inference_cost: "1" } } }],
  ])("%s", (_, value) => {
    expect(readChatMessage(value)).toMatchObject({ type: "malformed" });
  });
});

describe("a stream message is read as an error of the provider", () => {
  test.each<[string, unknown, object]>([
    ["in words", "too hot", { message: "too hot" }],
    ["with a status", { message: "m", code: 502 }, { message: "m", status: 502 }],
    ["with a type", { message: "m", type: "overloaded", code: null }, { message: "m", code: "overloaded" }],
    ["with both", { message: "m", type: "bad", code: "too_long" }, { message: "m", code: "too_long" }],
    ["with a code", { message: "m", type: null, code: "too_hot" }, { message: "m", code: "too_hot" }],
    ["without words", 7, { message: "the model's provider has failed" }],
  ])("%s", (_, error, expected) => {
    expect(readChatMessage({ error })).toEqual({ type: "error", ...expected });
  });
});

describe("an answer as one JSON object", () => {
  test("keeps its tool calls in order", () => {
    const calls = [{ id: "a", function: { name: "f", arguments: "{}" } }];
    const message = { role: "assistant", content: null, tool_calls: calls };
    expect(chunkOfCompletion({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }] })).toEqual({
      id: "1",
      choices: [
        { index: 0, finish_reason: "stop", delta: { ...message, tool_calls: [{ index: 0, ...calls[0] }] } },
      ],
    });
  });

  test.each<[string, unknown, unknown]>([
    ["is no object", "text", "text"],
    ["has no choices", { error: "no" }, { error: "no" }],
    ["has a choice that is none", { choices: [1] }, { choices: [1] }],
    ["has a choice without a message", { choices: [{ index: 0 }] }, { choices: [{ index: 0 }] }],
    [
      "has a call that is none",
      { choices: [{ message: { tool_calls: [1] } }] },
      { choices: [{ delta: { tool_calls: [1] } }] },
    ],
  ])("keeps its malformed part for the decoder to refuse: it %s", (_, completion, expected) => {
    expect(chunkOfCompletion(completion)).toEqual(expected);
  });
});

test("only the first choice counts; other drafts are ignored", () => {
  const answer = new AnswerBuilder();
  const add = (chunk: ChatChunk) => answer.add(chunk, () => {});
  add({ choices: [{ index: 1, delta: { content: "other" } }, { delta: { content: "mine" } }] });
  add({ choices: [{ index: 1, finish_reason: "stop" }] });
  add({ choices: [{ index: 0 }], usage: { completion_tokens: 3 } });
  answer.end(() => {});
  expect(answer.parts).toEqual([{ type: "text", text: "mine" }]);
  expect(answer.isComplete).toBe(false);
  expect(answer.usage).toEqual({ outputTokens: 3 });
  expect(sumOf(answer.usage, { inputTokens: 2 })).toEqual({ inputTokens: 2, outputTokens: 3 });
});

test.each<[unknown, object]>([
  ["text", {}],
  [{ error: "no_credits" }, { code: "no_credits" }],
  [{ error: "Failed to process request" }, { message: "Failed to process request" }],
  [{ error: { code: "bad", message: 1 } }, { code: "bad" }],
  [{ error: 7, message: "m" }, { message: "m" }],
])("the refusal body %j is read as %j", (body, expected) => {
  expect(readRefusal(body)).toEqual(expected);
});

describe("the history on the wire", () => {
  const called = (id: string) => ({ type: "tool-call", toolCallId: id, toolName: "f", input: {} }) as const;

  test("keeps system messages and empty results, and drops only the orphan call of a message", () => {
    const history: readonly RunMessage[] = [
      { role: "system", content: [{ type: "text", text: "Be kind." }] },
      { role: "assistant", content: [{ type: "text", text: "So." }, called("gone"), called("a")] },
      { role: "tool", toolCallId: "a", toolName: "f", content: [{ type: "json", value: undefined }] },
    ];
    expect(toWire("", history)).toMatchObject([
      { role: "system", content: "Be kind." },
      { role: "assistant", content: "So.", tool_calls: [{ id: "a" }] },
      { role: "tool", tool_call_id: "a", content: "null" },
    ]);
  });
});

test("a foreign state without agent type and file context is accepted; an invalid message is refused", () => {
  const image = { role: "user", content: [{ type: "image", image: "AA==" }] };
  const mainAgentState = { agentType: null, messageHistory: [image] };
  expect(readPrevious({ sessionState: { mainAgentState, fileContext: null } })).toEqual({
    history: [image],
    openCalls: [],
    agentType: undefined,
    mainAgentState,
    fileContext: undefined,
  });
  for (const history of [[1], [{ role: "user", content: [{ type: "image" }] }]])
    expect(() => readPrevious({ sessionState: { mainAgentState: { messageHistory: history } } })).toThrow(
      "message 0",
    );
});
