import {
  type BackendAnswer,
  type BackendReply,
  type BackendScript,
  ManualClock,
  MockCodebuffBackend,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { CHAT, call, chat, chatBody, hear, send, start } from "./codebuff-backend-raw-client.ts";

/** What the texts of several calls of one run are. */
async function texts(backend: MockCodebuffBackend, runId: string, calls: number): Promise<readonly string[]> {
  const said: string[] = [];
  for (let number = 0; number < calls; number++) said.push((await chat(backend, runId)).said);
  return said;
}

/** Moves the clock, whenever an answer waits for it, until all are complete. */
async function answered(backend: MockCodebuffBackend, clock: ManualClock, ms: number): Promise<void> {
  const open = () => backend.requests({ state: "open" }).length > 0;
  const state = () => (open() ? clock.pending > 0 && "waits" : "over");
  while ((await backend.waitFor(state)) === "waits") await clock.advance(ms);
}

/** The frames of the first answer of a script. */
async function deltas(answer: BackendAnswer): Promise<readonly unknown[]> {
  await using backend = await MockCodebuffBackend.start({ answer: [answer] });
  const { frames } = await chat(backend, await start(backend));
  return frames.map(({ choices }) => choices[0]?.delta);
}

describe("a list of answers", () => {
  test("is used once by each run, in order", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: ["one", { text: ["t", "wo"] }] });
    const [first, second] = [await start(backend), await start(backend)];
    expect(await texts(backend, first, 2)).toEqual(["one", "two"]);
    expect(await texts(backend, second, 1)).toEqual(["one"]);
    expect(backend.scriptExhausted).toBe(false);
  });

  test("that is used up gives a fixed text and sets scriptExhausted", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: ["one"] });
    const runId = await start(backend);
    expect(await texts(backend, runId, 3)).toEqual(["one", "The script has ended.", "The script has ended."]);
    expect(backend.scriptExhausted).toBe(true);
  });

  test.each<[string, readonly BackendReply[], readonly string[]]>([
    ["call", ["one", "two", { match: { call: 2 }, text: "second" }], ["one", "second", "two"]],
    ["agentId", ["one", { match: { agentId: "tester" }, text: "mine" }], ["mine", "one"]],
    [
      "another agentId",
      ["one", { match: { agentId: "other" }, text: "mine" }],
      ["one", "The script has ended."],
    ],
    ["model", [{ match: { model: "openai/gpt-5-mini" }, text: "mini" }, "one"], ["mini", "one"]],
    [
      "several fields",
      [{ match: { agentId: "tester", call: 3 }, text: "late" }, "one"],
      ["one", "The script has ended.", "late"],
    ],
    [
      "the same filter twice",
      [
        { match: { agentId: "tester" }, text: "a" },
        { match: { agentId: "tester" }, text: "b" },
      ],
      ["a", "b"],
    ],
  ])("is searched by `match`: %s", async (_title, answer, said) => {
    await using backend = await MockCodebuffBackend.start({ answer });
    expect(await texts(backend, await start(backend), said.length)).toEqual(said);
  });

  test("can be JSON with faults, which reset() restores", async () => {
    const json =
      '{"answers":[{"text":["a"]},{"text":["b"]}],"faults":{"chat":[{"call":2,"status":503,"times":1}]}}';
    await using backend = await MockCodebuffBackend.start({ answer: JSON.parse(json) });
    for (let round = 0; round < 2; round++) {
      const runId = await start(backend);
      const answers = [await chat(backend, runId), await chat(backend, runId), await chat(backend, runId)];
      expect(answers.map(({ status, said }) => [status, said])).toEqual([
        [200, "a"],
        [503, ""],
        [200, "b"],
      ]);
      backend.reset();
    }
  });

  test("can be replaced at any time, and starts from its beginning", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: ["one"] });
    const runId = await start(backend);
    await texts(backend, runId, 1);
    const script: BackendScript = ["two"];
    backend.answer = script;
    expect(backend.answer).toBe(script);
    expect(await texts(backend, runId, 1)).toEqual(["two"]);
  });
});

describe("a script function", () => {
  test("receives the messages, the tools and the metadata of the request", async () => {
    const seen: unknown[] = [];
    await using backend = await MockCodebuffBackend.start({
      answer: ({ request, signal }) => {
        const { messages, tools, clientId, costMode, n, stream } = request;
        seen.push({ messages, tools, clientId, costMode, n, stream, aborted: signal.aborted });
        return "ok";
      },
    });
    await chat(backend, await start(backend), {
      tools: [{ type: "function", function: { name: "glob", parameters: {} } }],
      messages: [
        { role: "system", content: "You fix code." },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "image_url", image_url: { url: "data:," } },
            { type: "text", text: "b" },
          ],
        },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "c1", type: "function", function: { name: "glob", arguments: '{"x":1}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "[]" },
      ],
    });
    const message = { toolCalls: [], toolCallId: null };
    expect(seen).toEqual([
      {
        messages: [
          { ...message, role: "system", text: "You fix code." },
          { ...message, role: "user", text: "ab" },
          {
            ...message,
            role: "assistant",
            text: "",
            toolCalls: [{ id: "c1", name: "glob", arguments: { x: 1 } }],
          },
          { ...message, role: "tool", text: "[]", toolCallId: "c1" },
        ],
        tools: ["glob"],
        clientId: "client-1",
        costMode: "normal",
        n: null,
        stream: true,
        aborted: false,
      },
    ]);
    expect(backend.violations).toEqual([]);
  });

  test("can return a separate list for each agent", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: ({ agentId }) => (agentId === "tester" ? ["one", "two"] : ["child"]),
    });
    const [root, child] = [await start(backend), await start(backend, "helper")];
    expect(await texts(backend, root, 1)).toEqual(["one"]);
    expect(await texts(backend, child, 2)).toEqual(["child", "The script has ended."]);
    expect(await texts(backend, root, 1)).toEqual(["two"]);
  });

  test("is aborted when the client leaves", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve("too late"));
        }),
    });
    const leaving = new AbortController();
    const body = chatBody(await start(backend));
    const response = send(backend, CHAT, { body, signal: leaving.signal });
    response.catch(() => {});
    await backend.waitFor(() => backend.requests({ endpoint: "chat" })[0]);
    leaving.abort();
    const request = await backend.waitFor(() => backend.requests({ state: "disconnected" })[0]);
    expect(request).toMatchObject({ endpoint: "chat", response: undefined });
    await expect(response).rejects.toThrow();
  });
});

describe("an answer", () => {
  test("streams one delta for each string of reasoning and text", async () => {
    expect(await deltas({ reasoning: ["a", "b"], text: "c" })).toEqual([
      { role: "assistant", content: "" },
      {
        role: "assistant",
        content: "",
        reasoning: "a",
        reasoning_details: [{ type: "reasoning.text", text: "a", format: "unknown", index: 0 }],
      },
      {
        role: "assistant",
        content: "",
        reasoning: "b",
        reasoning_details: [{ type: "reasoning.text", text: "b", format: "unknown", index: 0 }],
      },
      { content: "c" },
      { content: "" },
      { role: "assistant", content: "" },
    ]);
  });

  test.each<
    [string, Omit<NonNullable<BackendAnswer["toolCalls"]>[number] & object, "then">, readonly string[]]
  >([
    ["arguments in one fragment", { name: "t", arguments: { a: 1 } }, ['{"a":1}']],
    ["arguments in `fragments`", { name: "t", arguments: { a: 1 }, fragments: 3 }, ['{"a', '":1', "}"]],
    ["no arguments", { name: "t" }, ["{}"]],
    ["rawArguments with invalid JSON", { name: "t", rawArguments: "{oops", fragments: 2 }, ["{oo", "ps"]],
    ["empty rawArguments", { name: "t", rawArguments: "" }, []],
  ])("streams the name of a tool call, then %s", async (_title, toolCall, fragments) => {
    const opening = { index: 0, id: "call_0", type: "function", function: { name: "t", arguments: "" } };
    expect((await deltas({ toolCalls: [toolCall as { name: string }] })).slice(1, -2)).toEqual([
      { tool_calls: [opening] },
      ...fragments.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    ]);
  });

  test("numbers its tool calls, except those with a given id", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: [{ toolCalls: [{ name: "a" }, { name: "b", id: "mine" }, { name: "c" }] }],
    });
    const { calls } = await chat(backend, await start(backend));
    expect(calls.map(({ id, name }) => [id, name])).toEqual([
      ["call_0", "a"],
      ["mine", "b"],
      ["call_2", "c"],
    ]);
  });

  test("mixes text, reasoning and tool calls with `parts`", async () => {
    const parts = [{ text: "a" }, { reasoning: "b" }, { toolCall: { name: "t" } }, { text: "c" }] as const;
    const kinds = (await deltas({ parts })).map((delta) => Object.keys(delta as object).at(-1));
    expect(kinds.slice(1, -2)).toEqual([
      "content",
      "reasoning_details",
      "tool_calls",
      "tool_calls",
      "content",
    ]);
  });

  test.each<[string, BackendAnswer, string]>([
    ["stop", { text: "a" }, "stop"],
    ["tool_calls, with tool calls", { toolCalls: [{ name: "t" }] }, "tool_calls"],
    ["the value of `finish`", { toolCalls: [{ name: "t" }], finish: "length" }, "length"],
  ])("has the finish reason %s", async (_title, answer, finish) => {
    await using backend = await MockCodebuffBackend.start({ answer: [answer] });
    expect((await chat(backend, await start(backend))).finish).toBe(finish);
  });

  test("reports the cost of `usage`", async () => {
    const usage = {
      cost: 0.1,
      upstream_inference_cost: 0.2,
      prompt_tokens: 7,
      completion_tokens: 3,
      cached_tokens: 2,
      reasoning_tokens: 1,
    };
    await using backend = await MockCodebuffBackend.start({ answer: [{ usage }] });
    expect((await chat(backend, await start(backend))).usage).toEqual({
      prompt_tokens: 7,
      completion_tokens: 3,
      total_tokens: 10,
      cost: 0.1,
      cost_details: { upstream_inference_cost: 0.2 },
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    });
  });

  test("can be raw `frames`", async () => {
    const frames = ["data: a\n", new Uint8Array([0xf0, 0x9f]), new Uint8Array([0x98, 0x80]), ": no end"];
    await using backend = await MockCodebuffBackend.start({ answer: [{ frames }] });
    expect((await chat(backend, await start(backend))).text).toBe("data: a\n\u{1F600}: no end");
  });

  test("starts after `delayMs`, with `gapMs` between its frames", async () => {
    const clock = new ManualClock();
    await using backend = await MockCodebuffBackend.start({
      clock,
      answer: [{ delayMs: 1_000, gapMs: 200, text: "a", sse: { heartbeatMs: 0 } }],
    });
    const body = chatBody(await start(backend));
    const response = send(backend, CHAT, { body });
    const frames = () => backend.requests({ endpoint: "chat" })[0]?.response?.frames ?? [];
    await backend.waitFor(() => clock.pending === 1);
    expect(frames()).toEqual([]);
    await clock.advance(1_000);
    await backend.waitFor(() => frames().length === 2 && clock.pending === 1);
    await clock.advance(199);
    expect(frames()).toHaveLength(2);
    await clock.advance(1);
    await backend.waitFor(() => frames().length === 3);
    await answered(backend, clock, 200);
    expect(hear(await (await response).text())).toMatchObject({ said: "a", done: true });
  });
});

describe("a gate", () => {
  test("that is a function is called at its position in the stream, and may act", async () => {
    const leaving = new AbortController();
    const places: string[] = [];
    await using backend = await MockCodebuffBackend.start({
      answer: [
        {
          reasoning: [() => places.push("reasoning")],
          text: ["one", () => places.push("text")],
          toolCalls: [() => places.push("calls"), { name: "t" }],
          parts: [() => places.push("parts"), () => leaving.abort(), new Promise(() => {})],
        },
      ],
    });
    const body = chatBody(await start(backend));
    const response = send(backend, CHAT, { body, signal: leaving.signal });
    await expect(response.then((begun) => begun.text())).rejects.toThrow();
    const request = await backend.waitFor(() => backend.requests({ state: "disconnected" })[0]);
    expect(places).toEqual(["reasoning", "text", "calls", "parts"]);
    expect(request.response?.frames.at(-1)).toContain('"arguments":"{}"');
  });

  test("that rejects cuts the connection", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: [{ text: ["one", Promise.reject(new Error("no")), "two"] }],
    });
    await expect(chat(backend, await start(backend))).rejects.toThrow();
    expect(backend.requests({ endpoint: "chat" })).toMatchObject([{ state: "cut" }]);
  });

  test("also delays an unstreamed answer", async () => {
    const passed: string[] = [];
    await using backend = await MockCodebuffBackend.start({
      answer: [{ text: ["one", () => passed.push("gate"), "two"] }],
    });
    const { body } = await call(backend, CHAT, {
      body: chatBody(await start(backend), { stream: undefined }),
    });
    expect(body).toMatchObject({ choices: [{ message: { content: "onetwo" } }] });
    expect(passed).toEqual(["gate"]);
  });
});

describe("a request without a stream", () => {
  test("gets one chat.completion", async () => {
    const answer = [
      {
        reasoning: "hm",
        text: ["a", "b"],
        toolCalls: [{ name: "t", arguments: { x: 1 } }],
        usage: { cost: 0.1 },
      },
    ];
    await using backend = await MockCodebuffBackend.start({ answer });
    const { status, body } = await call(backend, CHAT, {
      body: chatBody(await start(backend), { stream: undefined }),
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        id: "gen-1",
        object: "chat.completion",
        model: "openai/gpt-5-mini",
        choices: [
          {
            index: 0,
            finish_reason: "tool_calls",
            message: {
              role: "assistant",
              content: "ab",
              reasoning: "hm",
              tool_calls: [{ id: "call_0", type: "function", function: { name: "t", arguments: '{"x":1}' } }],
            },
          },
        ],
        usage: { cost: 0.1 },
      },
    });
  });

  test.each([
    [2, '["a","b"]'],
    [3, '["a","b","a"]'],
    [1, '["a"]'],
  ])("with `n` gets %i texts", async (n, content) => {
    await using backend = await MockCodebuffBackend.start({ answer: [{ text: ["a", "b"] }] });
    const { body } = await call(backend, CHAT, {
      body: chatBody(await start(backend), { stream: undefined, metadata: { n } }),
    });
    expect(body).toMatchObject({ choices: [{ message: { role: "assistant", content } }] });
    expect(backend.violations).toEqual([]);
  });
});

describe("openAiCompatible", () => {
  const DIRECT = "POST /v1/chat/completions";
  const request = { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] };

  test("serves a direct provider without runs, gates and comments", async () => {
    await using backend = await MockCodebuffBackend.start({
      openAiCompatible: true,
      banned: true,
      balance: 0,
      answer: ({ agentId, runId, call: number, request: { model } }) =>
        `${agentId} ${runId} ${number} ${model}`,
    });
    const first = await call(backend, DIRECT, { body: request });
    expect(hear(first.text)).toMatchObject({ comments: [], said: "null null 1 m", done: true });
    expect(hear((await call(backend, DIRECT, { body: request })).text).said).toBe("null null 2 m");
    const whole = await call(backend, DIRECT, { body: { ...request, stream: false } });
    expect(whole.body).toMatchObject({ choices: [{ message: { content: "null null 3 m" } }] });
    expect(backend.requests({ endpoint: "chat" })).toHaveLength(3);
    expect(backend.violations).toEqual([]);
  });

  test.each([
    ["an unknown key", { body: request, key: "x" }, 401, "Incorrect API key provided."],
    ["no key", { body: request, key: null }, 401, "Incorrect API key provided."],
    ["invalid JSON", { body: "{" }, 400, "The body is no JSON."],
  ])("refuses %s like a provider", async (_title, how, status, message) => {
    await using backend = await MockCodebuffBackend.start({ openAiCompatible: true });
    const answer = await call(backend, DIRECT, how);
    expect(answer).toMatchObject({
      status,
      body: { error: { message, code: status, type: "invalid_request_error", param: null } },
    });
  });

  test("can be switched on and off", async () => {
    await using backend = await MockCodebuffBackend.start();
    backend.set({ openAiCompatible: true });
    expect((await call(backend, DIRECT, { body: request })).status).toBe(200);
    backend.set({ openAiCompatible: false });
    expect((await call(backend, DIRECT, { body: request })).status).toBe(404);
  });
});
