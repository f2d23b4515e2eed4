import {
  aiSdkModel,
  CodebuffRun,
  type CodebuffRunEvent,
  type CodebuffRunTool,
  type ProtocolWarning,
  toUniversal,
} from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { agent, fakeModel, finish } from "./fake-model.ts";

const tools: Record<string, CodebuffRunTool> = {
  add: {
    description: "Adds numbers.",
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    execute: ({ input }) => [{ type: "json", value: Number(input["a"]) + Number(input["b"]) }],
  },
};

test("a run executes the tool calls of an AI SDK model and sends the results back", async () => {
  const { asked, model } = fakeModel(
    [
      { type: "reasoning-delta", id: "r", delta: "hm" },
      { type: "text-delta", id: "t", delta: "Let me add. " },
      { type: "tool-input-start", id: "c1", toolName: "add" },
      { type: "tool-input-delta", id: "c1", delta: '{"a":1,' },
      { type: "tool-input-delta", id: "c1", delta: '"b":2}' },
      { type: "tool-call", toolCallId: "c1", toolName: "add", input: '{"a":1,"b":2}' },
      finish,
    ],
    [{ type: "text-delta", id: "t", delta: "It is 3." }, finish],
  );
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent, tools });
  const { text, usage, cost, toolCalls } = await client.prompt("1 + 2?").result;
  await client.close();
  expect(text).toBe("Let me add. It is 3.");
  expect(usage).toEqual({ inputTokens: 14, outputTokens: 6 });
  expect(cost).toBeUndefined();
  expect(toolCalls).toMatchObject([{ name: "add", state: "done", output: [{ type: "json", value: 3 }] }]);
  expect(asked[0]?.tools).toMatchObject([{ type: "function", name: "add", inputSchema: { type: "object" } }]);
  expect(asked[1]?.prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
  expect(asked[1]?.prompt.at(-1)?.content).toMatchObject([
    { type: "tool-result", toolName: "add", output: { type: "text", value: "3" } },
  ]);
});

test("a tool call that arrives whole runs once; V3 finish reasons and token counts are read", async () => {
  const { model } = fakeModel(
    [
      { type: "tool-call", toolCallId: "c1", toolName: "add", input: '{"a":1,"b":2}' },
      { type: "finish", finishReason: { unified: "tool-calls" }, usage: { inputTokens: { total: 5 } } },
    ],
    [{ type: "text-delta", id: "t", delta: "3" }, finish],
  );
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent, tools });
  const { text, usage, toolCalls } = await client.prompt("1 + 2?").result;
  await client.close();
  expect(text).toBe("3");
  expect(usage).toEqual({ inputTokens: 12, outputTokens: 3 });
  expect(toolCalls).toHaveLength(1);
});

test.each(["v1", "v5"])("a model of the specification %s is refused", (specificationVersion) => {
  expect(() => aiSdkModel({ ...fakeModel().model, specificationVersion })).toThrow(/AI SDK 5, 6 and 7/);
});

/** What comes of one prompt. */
async function played(...answers: readonly (readonly object[])[]) {
  const { asked, model } = fakeModel(...answers);
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent, tools });
  const warnings: ProtocolWarning[] = [];
  client.on("protocolWarning", (warning) => warnings.push(warning));
  const turn = client.prompt("1 + 2?");
  const events: CodebuffRunEvent[] = [];
  turn.on("event", (event) => events.push(event));
  const outcome = await turn.outcome;
  await client.close();
  return { asked, outcome, events, warnings };
}

const said = { type: "text-delta", id: "t", delta: "3" };
const start = (id: string) => ({ type: "tool-input-start", id, toolName: "add" });
const delta = (id: string, text: string) => ({ type: "tool-input-delta", id, delta: text });
const whole = (id: string, input: string) => ({ type: "tool-call", toolCallId: id, toolName: "add", input });
const [ONE, TWO] = ['{"a":1,"b":1}', '{"a":2,"b":2}'] as const;

test.each([
  ["whole", [whole("c", ONE), whole("c", TWO)]],
  [
    "streamed, one after the other",
    [start("c"), delta("c", ONE), whole("c", ONE), start("c"), delta("c", TWO), whole("c", TWO)],
  ],
  [
    "streamed, then both as a whole",
    [start("c"), delta("c", ONE), start("c"), delta("c", TWO), whole("c", ONE), whole("c", TWO)],
  ],
  ["streamed, then whole", [start("c"), delta("c", ONE), whole("c", ONE), whole("c", TWO)]],
  ["streamed alone", [start("c"), delta("c", ONE), start("c"), delta("c", TWO)]],
  ["started, but not streamed", [start("c"), whole("c", ONE), start("d"), whole("d", TWO)]],
  ["of an empty id", [whole("", ONE), whole("", TWO)]],
  [
    "streamed in turns, with ids of their own",
    [start("c"), start("d"), delta("d", TWO), delta("c", ONE), whole("d", TWO), whole("c", ONE)],
  ],
])("two tool calls stay separate: %s", async (_, parts) => {
  const { outcome } = await played([...parts, finish], [said, finish]);
  expect(outcome).toMatchObject({
    status: "completed",
    result: {
      toolCalls: [
        { input: { a: 1 }, state: "done" },
        { input: { a: 2 }, state: "done" },
      ],
    },
  });
});

describe("a stream without a finish reason", () => {
  const ENDS: readonly (readonly [string, readonly object[]])[] = [
    ["`unknown` (V2)", [{ ...finish, finishReason: "unknown" }]],
    [
      "`other` without a word of the provider (V3, V4)",
      [{ ...finish, finishReason: { unified: "other", raw: undefined } }],
    ],
    ["none", [{ ...finish, finishReason: undefined }]],
    ["no `finish` at all", []],
  ];

  test.each(ENDS)("%s: a text answer completes with a warning", async (_, end) => {
    const { outcome, warnings } = await played([said, ...end]);
    expect(outcome).toMatchObject({ status: "completed", result: { text: "3" } });
    expect(warnings).toMatchObject([{ kind: "no-finish-reason" }]);
  });

  test.each(ENDS)("%s: an empty answer fails with `no_response`", async (_, end) => {
    const { asked, outcome } = await played([{ type: "stream-start", warnings: [] }, ...end]);
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "no_response" } });
    expect(asked).toHaveLength(1);
  });

  test("a provider's own reason counts as a finish reason: no warning", async () => {
    const { warnings } = await played([
      said,
      { ...finish, finishReason: { unified: "other", raw: "pause" } },
    ]);
    expect(warnings).toEqual([]);
  });
});

describe("a tool call that the provider runs itself", () => {
  const search = { toolCallId: "s", toolName: "web_search", providerExecuted: true };
  const call = { type: "tool-call", ...search, input: '{"query":"x"}' };
  const streamed = { type: "tool-input-start", id: "s", toolName: "web_search", providerExecuted: true };

  test("is reported with its result; the client neither runs it nor sends it back", async () => {
    const early = { type: "tool-result", ...search, result: "not yet", preliminary: true };
    const result = { type: "tool-result", ...search, result: [{ url: "https://example.com" }] };
    const first = [streamed, delta("s", '{"query":'), call, early, result, said, whole("c", ONE), finish];
    const { asked, events, outcome } = await played(first, [said, finish]);
    const told = events.filter(({ type }) => type.startsWith("tool_"));
    expect(told).toMatchObject([
      { type: "tool_call", toolName: "web_search", input: { query: "x" } },
      { type: "tool_result", toolName: "web_search", output: [{ type: "json", value: result.result }] },
      { type: "tool_call", toolName: "add" },
      { type: "tool_result", toolName: "add" },
    ]);
    expect(outcome).toMatchObject({
      result: {
        text: "33",
        toolCalls: [
          { name: "web_search", state: "done" },
          { name: "add", state: "done" },
        ],
      },
    });
    expect(JSON.stringify(asked[1])).not.toContain("web_search");
  });

  test("is `failed` after an error result, and `abandoned` without a result", async () => {
    const failed = { type: "tool-result", ...search, result: { code: "busy" }, isError: true };
    const { outcome } = await played([call, failed, call, said, finish]);
    expect(outcome).toMatchObject({
      result: { toolCalls: [{ state: "failed", error: '{"code":"busy"}' }, { state: "abandoned" }] },
    });
  });

  test("is reported even if only its result arrives, or its input is no JSON object", async () => {
    const alone = { type: "tool-result", ...search, result: "x" };
    const { events } = await played([alone, { ...call, input: "[" }, said, finish]);
    expect(events).toMatchObject([
      { type: "start" },
      { type: "tool_call", input: {} },
      { type: "tool_result", output: [{ type: "json", value: "x" }] },
      { type: "tool_call", input: {} },
      { type: "chunk" },
      { type: "text" },
      { type: "finish" },
    ]);
  });

  test("appears in the universal stream as `item.started` and `item.completed`", async () => {
    const result = { type: "tool-result", ...search, result: "x" };
    const { model } = fakeModel([call, result, said, finish]);
    const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent });
    const turn = client.prompt("find", { read: false });
    const items: { type: string; data: object }[] = [];
    toUniversal(turn).on("event", ({ type, data }) => items.push({ type, data }));
    await turn.outcome;
    await client.close();
    const calls = items.filter(({ data }) => JSON.stringify(data).includes("web_search"));
    expect(calls.map(({ type }) => type)).toEqual(["item.started", "item.completed"]);
  });
});

describe("an error of the model", () => {
  /** As `APICallError` of the AI SDK. */
  const apiError = (statusCode: number, body: string, responseHeaders: object = {}) =>
    Object.assign(new Error("Bad Request"), { statusCode, responseBody: body, responseHeaders });

  test.each([
    [
      apiError(
        400,
        '{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}',
      ),
      { kind: "bad_request", status: 400, serverCode: "context_length_exceeded", serverMessage: "too long" },
    ],
    [
      apiError(429, '{"error":{"message":"slow down","code":"rate_limit_exceeded"}}', {
        "retry-after": "99",
      }),
      { kind: "rate_limited", status: 429, retryAfter: 99_000, serverCode: "rate_limit_exceeded" },
    ],
    [
      apiError(429, '{"error":{"message":"pay","type":"insufficient_quota"}}'),
      { kind: "payment_required", status: 429, serverCode: "insufficient_quota" },
    ],
    [
      apiError(404, "no page"),
      { kind: "bad_request", status: 404, serverMessage: "Bad Request", body: "no page" },
    ],
    [apiError(401, "{}"), { kind: "auth", status: 401 }],
    [
      Object.assign(new Error("Cannot connect to API: refused"), { isRetryable: true }),
      { kind: "network", serverMessage: "Cannot connect to API: refused", retryable: true },
    ],
    [
      new Error("the model is overloaded"),
      { kind: "upstream_error", serverMessage: "the model is overloaded" },
    ],
    ["overloaded", { kind: "upstream_error", serverMessage: "overloaded" }],
    [
      { type: "overloaded_error", message: "Overloaded" },
      { kind: "upstream_error", serverMessage: "Overloaded", serverCode: "overloaded_error" },
    ],
  ])("%s keeps its status, wait, code and body", async (error, expected) => {
    const asError = await played([{ type: "error", error }]);
    expect(asError.outcome).toMatchObject({ status: "failed", error: expected });
    const doStream = () => Promise.reject(error);
    const client = new CodebuffRun({ providers: [aiSdkModel({ ...fakeModel().model, doStream })], agent });
    expect(await failureOf(client.prompt("hi"))).toMatchObject(expected);
    await client.close();
  });
});

test("malformed and unknown stream parts do not fail the run", async () => {
  const odd = [
    "odd",
    { type: "stream-start" },
    { type: "text-delta" },
    { type: "tool-input-delta", delta: "{" },
    null,
  ];
  const { outcome, warnings } = await played([
    ...(odd as object[]),
    said,
    { type: "finish", finishReason: 7 },
  ]);
  expect(outcome).toMatchObject({
    result: { text: "3", usage: { inputTokens: 0, outputTokens: 0 }, toolCalls: [] },
  });
  expect(warnings).toHaveLength(1);
});

test("`aiSdkModel()` refuses a model's name in place of a model", () => {
  expect(() => aiSdkModel("gpt-5-mini" as never)).toThrow(/Pass a language model of the AI SDK/);
});
