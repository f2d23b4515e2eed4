import { ManualClock, MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { call, chat, finish, hear, send, start } from "./codebuff-backend-raw-client.ts";

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const STEP = {
  stepNumber: 1,
  credits: 5,
  childRunIds: [],
  messageId: "gen-1",
  status: "completed",
  startTime: "2026-03-14T10:00:00.000Z",
};

describe("a whole run", () => {
  test("is answered and recorded call by call", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: [
        {
          match: { agentId: "tester", call: 1 },
          reasoning: ["think "],
          text: ["I will ", "edit."],
          toolCalls: [
            {
              name: "write_file",
              arguments: { path: "a.txt", instructions: "x", content: "hi\n" },
              fragments: 3,
            },
          ],
          finish: "tool_calls",
          usage: { cost: 0.05 },
        },
        { text: ["All done."] },
      ],
    });
    expect((await call(backend, "GET /api/v1/me?fields=id")).body).toEqual({ id: "user-1" });
    const started = await call(backend, "POST /api/v1/agent-runs", {
      body: { action: "START", agentId: "tester", ancestorRunIds: [] },
    });
    expect(started).toMatchObject({ status: 200, body: { runId: uuid } });
    const { runId } = started.body as { runId: string };
    const count = await call(backend, "POST /api/v1/token-count", { body: { messages: [] } });
    expect(count).toMatchObject({ status: 200, body: { inputTokens: 1234 } });

    const first = await chat(backend, runId);
    expect(first).toMatchObject({
      status: 200,
      done: true,
      reasoning: "think ",
      said: "I will edit.",
      finish: "tool_calls",
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, cost: 0.05 },
    });
    expect(first.calls).toEqual([
      {
        id: "call_0",
        name: "write_file",
        arguments: '{"path":"a.txt","instructions":"x","content":"hi\\n"}',
      },
    ]);
    expect(first.headers.get("content-type")).toBe("text/event-stream");
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const step = await call(backend, `POST /api/v1/agent-runs/${runId}/steps`, { body: STEP });
    expect(step).toMatchObject({ status: 200, body: { stepId: uuid } });

    const second = await chat(backend, runId);
    expect(second).toMatchObject({ said: "All done.", calls: [], finish: "stop", usage: { cost: 0 } });
    const finished = await finish(backend, runId, { totalSteps: 3, directCredits: 5, totalCredits: 5 });
    expect(finished).toMatchObject({ status: 200, body: { success: true } });

    expect(backend.requests().map(({ endpoint, action }) => action ?? endpoint)).toEqual([
      "me",
      "START",
      "token-count",
      "chat",
      "steps",
      "chat",
      "FINISH",
    ]);
    expect(backend.runs()).toMatchObject([
      {
        id: runId,
        agentId: "tester",
        userId: "user-1",
        ancestorRunIds: [],
        status: "completed",
        chatCalls: 2,
        steps: [{ id: (step.body as { stepId: string }).stepId, ...STEP }],
        finish: { status: "completed", totalSteps: 3, directCredits: 5, totalCredits: 5 },
      },
    ]);
    expect(backend.scriptExhausted).toBe(false);
    expect(backend.violations).toEqual([]);
  });

  test("writes each stream like the real server", async () => {
    await using backend = await MockCodebuffBackend.start({
      clock: new ManualClock({ epoch: Date.UTC(2026, 2, 14, 10) }),
      answer: [{ text: "Hi", toolCalls: [{ name: "glob", arguments: { pattern: "**" } }] }],
    });
    const { text } = await chat(backend, await start(backend));
    const choice = (delta: object, finish_reason: string | null = null) => ({
      index: 0,
      delta,
      finish_reason,
      logprobs: null,
    });
    const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
      `data: ${JSON.stringify({
        id: "gen-1",
        provider: "Mock",
        model: "openai/gpt-5-mini",
        object: "chat.completion.chunk",
        created: 1_700_000_000,
        choices: [choice(delta, finish_reason)],
        ...more,
      })}\n\n`;
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      cost: 0,
      cost_details: { upstream_inference_cost: 0 },
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    };
    expect(text).toBe(
      [
        ": connected 2026-03-14T10:00:00.000Z\n",
        chunk({ role: "assistant", content: "" }),
        chunk({ content: "Hi" }),
        chunk({
          tool_calls: [
            { index: 0, id: "call_0", type: "function", function: { name: "glob", arguments: "" } },
          ],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"pattern":"**"}' } }] }),
        chunk({ content: "" }, "tool_calls"),
        chunk({ role: "assistant", content: "" }, null, { usage }),
        "data: [DONE]\n\n",
      ].join(""),
    );
    expect(backend.requests({ endpoint: "chat" })[0]?.response?.frames.join("")).toBe(text);
  });
});

describe("a script of answers", () => {
  test("that is a function is called with each request", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: async ({ agentId, call: number, request, runId, userId }) => {
        const message = request.messages.at(-1);
        return `${agentId} ${number} ${request.model} ${message?.text} ${userId} ${runId?.length}`;
      },
    });
    const runId = await start(backend, "codebuff/base@1.2.3");
    expect((await chat(backend, runId)).said).toBe("codebuff/base@1.2.3 1 openai/gpt-5-mini hello user-1 36");
    expect((await chat(backend, runId)).said).toMatch(/ 2 openai/);
  });

  test("waits at a gate until the test opens the gate", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await using backend = await MockCodebuffBackend.start({
      answer: [{ text: ["one", gate, "two"] }],
    });
    const response = await send(backend, "POST /api/v1/chat/completions", {
      body: {
        model: "m",
        stream: true,
        codebuff_metadata: { run_id: await start(backend), client_id: "c", cost_mode: "normal" },
        messages: [],
      },
    });
    await backend.waitFor(() => backend.requests({ endpoint: "chat" })[0]?.response?.frames[2]);
    expect(backend.requests({ endpoint: "chat", state: "open" })).toHaveLength(1);
    open();
    expect(hear(await response.text()).said).toBe("onetwo");
    expect(backend.requests({ endpoint: "chat", state: "answered" })).toHaveLength(1);
  });
});

test("healthz needs no key", async () => {
  await using backend = await MockCodebuffBackend.start();
  const { status, body } = await call(backend, "GET /api/healthz", { key: null });
  expect({ status, body }).toEqual({
    status: 200,
    body: { status: "ok", cached_agents: 0, timestamp: stamp },
  });
});
