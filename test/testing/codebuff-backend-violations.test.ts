import { type BackendViolationKind, MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { CHAT, call, chat, chatBody, finish, start } from "./codebuff-backend-raw-client.ts";

const user = { role: "user", content: "hi" };
const calling = (...ids: readonly string[]) => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "t", arguments: "{}" } })),
});
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "[]" });

/** What is noted of one chat call, after the kind `: ` the detail. */
async function noted(fields: Parameters<typeof chatBody>[1]): Promise<readonly string[]> {
  await using backend = await MockCodebuffBackend.start();
  await chat(backend, await start(backend), fields);
  return backend.violations.map(({ kind, detail }) => `${kind}: ${detail}`);
}

describe("a correct chat call", () => {
  test.each<[string, Parameters<typeof chatBody>[1]]>([
    ["one message", {}],
    [
      "tool calls, each with its tool message",
      { messages: [user, calling("a", "b"), result("b"), result("a")] },
    ],
    ["several steps", { messages: [user, calling("a"), result("a"), calling("b"), result("b"), user] }],
    [
      "pictures",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] }] },
    ],
    [
      "all fields of real clients",
      {
        max_tokens: 32_000,
        stop: ['"cb_easp"'],
        provider: { allow_fallbacks: true },
        reasoning: { effort: "high" },
        tools: [
          { type: "function", function: { name: "t", description: "d", parameters: { type: "object" } } },
        ],
        tool_choice: "auto",
        metadata: { trace_session_id: "s", llm_step_number: "1", extra: 1 },
        messages: [{ role: "system", content: "s", cache_control: { type: "ephemeral" } }, user],
      },
    ],
    ["n without a stream", { stream: undefined, metadata: { n: 3 } }],
  ])("records no violation: %s", async (_title, fields) => {
    expect(await noted(fields)).toEqual([]);
  });
});

describe("a violation in a chat call", () => {
  test.each<[string, Parameters<typeof chatBody>[1], readonly string[]]>([
    ["a missing run_id", { metadata: { run_id: undefined } }, ["missing-run-id: codebuff_metadata.run_id"]],
    [
      "a run_id that is not a string",
      { metadata: { run_id: 1 } },
      ["missing-run-id: codebuff_metadata.run_id"],
    ],
    ["no metadata", { codebuff_metadata: undefined }, ["missing-run-id: codebuff_metadata.run_id"]],
    ["an unknown run", { metadata: { run_id: "r" } }, ["unknown-run: r"]],
    ["an orphan tool message", { messages: [user, result("x")] }, ["orphan-tool-message: x"]],
    [
      "a tool call without a result",
      { messages: [user, calling("a", "b"), result("a"), user] },
      ["unanswered-tool-call: b"],
    ],
    ["a tool call without a result at the end", { messages: [calling("a")] }, ["unanswered-tool-call: a"]],
    [
      "a repeated id in one message",
      { messages: [calling("a", "a"), result("a")] },
      ["repeated-tool-call-id: a"],
    ],
    [
      "a repeated id in a later step",
      { messages: [calling("a"), result("a"), user, calling("a"), result("a")] },
      ["repeated-tool-call-id: a", "repeated-tool-message: a"],
    ],
    [
      "two results of one call",
      { messages: [calling("a"), result("a"), result("a")] },
      ["repeated-tool-message: a"],
    ],
    ...["{", "[]"].map((text): [string, Parameters<typeof chatBody>[1], readonly string[]] => [
      `arguments that are no JSON object: ${text}`,
      {
        messages: [
          {
            ...calling("a"),
            tool_calls: [{ id: "a", type: "function", function: { name: "t", arguments: text } }],
          },
          result("a"),
        ],
      },
      ["bad-arguments: messages[0].tool_calls[0].function.arguments"],
    ]),
    [
      "consecutive assistant messages",
      { messages: [user, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }] },
      ["unmerged-assistant-messages: messages[2]"],
    ],
    [
      "n together with stream",
      { metadata: { n: 2 } },
      ["bad-field: stream must not be there beside codebuff_metadata.n"],
    ],
  ])("is recorded for %s", async (_title, fields, notes) => {
    expect(await noted(fields)).toEqual(notes);
  });

  const part = (fields: object) => ({ messages: [{ role: "user", content: [fields] }] });
  const asked = (call: unknown) => ({ messages: [{ role: "assistant", content: "", tool_calls: [call] }] });

  test.each<[Parameters<typeof chatBody>[1], string]>([
    [{ model: "" }, "model must be a string that is not empty"],
    [{ model: undefined }, "model must be there"],
    [{ messages: "hi" }, "messages must be of type array"],
    [{ max_tokens: -1 }, "max_tokens must be a whole number of 0 or more"],
    [{ stop: ["x", 1] }, "stop[1] must be of type string"],
    [{ tools: [] }, "tools must have something in it, or not be there"],
    [{ tools: ["t"] }, "tools[0] must be of type object"],
    [
      { tools: [{ type: "function", function: { name: "t" } }] },
      "tools[0].function.parameters must be there",
    ],
    [{ tool_choice: "auto" }, "tool_choice must not be there without tools"],
    [{ metadata: { client_id: undefined } }, "codebuff_metadata.client_id must be there"],
    [{ messages: ["hi"] }, "messages[0] must be an object"],
    [{ messages: [{ role: "robot" }] }, "messages[0].role must be one of system, user, assistant, tool"],
    [{ messages: [{ role: "user" }] }, "messages[0].content must be there"],
    [part({ type: "video" }), "messages[0].content[0].type must be one of text, image_url"],
    [part({ type: "image_url", image_url: "x" }), "messages[0].content[0].image_url must be of type object"],
    [
      asked({ ...calling("a").tool_calls[0], id: "" }),
      "messages[0].tool_calls[0].id must be a string that is not empty",
    ],
    [{ messages: [{ role: "tool", content: "[]" }] }, "messages[0].tool_call_id must be there"],
  ])("is recorded as a bad field: %j", async (fields, detail) => {
    expect(await noted(fields)).toEqual([`bad-field: ${detail}`]);
  });

  test("is recorded for another client_id in the same run", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: () => "ok" });
    const runId = await start(backend);
    await chat(backend, runId);
    await chat(backend, runId, { metadata: { client_id: "client-2" } });
    expect(backend.violations).toMatchObject([
      { kind: "client-id-changed", detail: "client-1 became client-2", request: { id: 3, runId } },
    ]);
  });

  test("is recorded for an ended run, also in a step", async () => {
    await using backend = await MockCodebuffBackend.start();
    const runId = await start(backend);
    await finish(backend, runId);
    await chat(backend, runId);
    await call(backend, `POST /api/v1/agent-runs/${runId}/steps`, {
      body: {
        stepNumber: 1,
        credits: 0,
        childRunIds: [],
        messageId: null,
        status: "completed",
        startTime: "2026-03-14T10:00:00Z",
      },
    });
    expect(backend.violations.map(({ kind }) => kind)).toEqual(["run-not-running", "run-not-running"]);
  });

  test("is recorded for metadata to a direct provider", async () => {
    await using backend = await MockCodebuffBackend.start({ openAiCompatible: true });
    const body = chatBody("r", { provider: {} });
    expect((await call(backend, "POST /v1/chat/completions", { body })).status).toBe(200);
    expect(backend.violations.map(({ kind, detail }) => [kind, detail])).toEqual([
      ["metadata-to-provider", "codebuff_metadata"],
      ["metadata-to-provider", "provider"],
    ]);
  });

  test("is recorded for a body that is not an object", async () => {
    await using backend = await MockCodebuffBackend.start();
    await call(backend, CHAT, { body: [] });
    expect(backend.violations).toMatchObject([{ kind: "bad-field", detail: "the body must be an object" }]);
  });

  test("is recorded even if a fault answers the request", async () => {
    await using backend = await MockCodebuffBackend.start();
    backend.fault("chat", { status: 503 });
    await chat(backend, await start(backend), { messages: [result("x")] });
    expect(backend.violations).toMatchObject([{ kind: "orphan-tool-message" }]);
  });
});

describe("a violation in any request", () => {
  test.each<[string, string, object, BackendViolationKind, string]>([
    ["a body with invalid JSON", "POST /api/v1/token-count", { body: "{oops" }, "invalid-json", "{oops"],
    [
      "another content type",
      "POST /api/v1/token-count",
      { body: { messages: [] }, headers: { "content-type": "text/plain;charset=UTF-8" } },
      "content-type",
      "text/plain;charset=UTF-8",
    ],
    ["the key in the path", "GET /api/v1/me?key=test-key", {}, "key-outside-headers", "the path"],
    [
      "the key in the body",
      "POST /api/v1/token-count",
      { body: { messages: [], system: "test-key" } },
      "key-outside-headers",
      "the body",
    ],
    ["an unknown route", "GET /api/v1/usage", {}, "unknown-route", "GET /api/v1/usage"],
    [
      "a bad field",
      "POST /api/v1/web-search",
      { body: {} },
      "bad-field",
      "query must be a string that is not empty",
    ],
    [
      "an unknown ancestor",
      "POST /api/v1/agent-runs",
      { body: { action: "START", agentId: "a", ancestorRunIds: ["r"] } },
      "unknown-run",
      "r",
    ],
    [
      "the FINISH of an unknown run",
      "POST /api/v1/agent-runs",
      {
        body: {
          action: "FINISH",
          runId: "r",
          status: "completed",
          totalSteps: 1,
          directCredits: 0,
          totalCredits: 0,
        },
      },
      "unknown-run",
      "r",
    ],
  ])("is recorded for %s", async (_title, route, options, kind, detail) => {
    await using backend = await MockCodebuffBackend.start();
    await call(backend, route, options);
    expect(backend.violations).toEqual([{ kind, detail, request: backend.requests()[0] }]);
  });

  test("is not recorded for a content type with a charset", async () => {
    await using backend = await MockCodebuffBackend.start();
    const headers = { "content-type": "application/json; charset=utf-8" };
    await call(backend, "POST /api/v1/token-count", { body: { messages: [] }, headers });
    expect(backend.violations).toEqual([]);
  });

  test("is not recorded with `strict: false`", async () => {
    await using backend = await MockCodebuffBackend.start({ strict: false });
    await call(backend, "GET /nowhere");
    await chat(backend, await start(backend), { messages: [result("x")], model: 5 });
    expect(backend.violations).toEqual([]);
  });
});
